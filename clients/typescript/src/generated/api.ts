// Generated from docs/openapi.json by `npm run docs`; a test compares it.

export interface paths {
    "/api/market": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What is here
         * @description Every operation of the market, with the page that describes it.
         */
        get: operations["readIndex"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Health of the gateway
         * @description What is configured, and the current state of node, index and store. The answer is 200 whatever `status` is, also while the market is disabled.
         */
        get: operations["readHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/protocol": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The contract that this gateway implements
         * @description What is signed and by whom, what is verified, and what is not guaranteed.
         */
        get: operations["readProtocol"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/catalog": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the markets
         * @description Each market describes what verification proves for it, and which operations it supports.
         */
        get: operations["readCatalog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/orders/build": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Build a listing to sign
         * @description A PSBT of one input and one output, for the seller to sign with SINGLE|ANYONECANPAY. Output and asset are verified before anything is composed. `quotedPriceSats` is what the seller is paid; the output’s own value goes to the buyer with the asset. Below that value `inspection.reasons` holds `payout_below_input`.
         */
        post: operations["buildAsk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/orders/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish a signed listing
         * @description Takes the PSBT signed by the seller, base64 or hex, built here or not. It is published if its signature is valid and its order is LIVE; otherwise nothing is stored.
         */
        post: operations["publishAsk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/orders/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import a signed order
         * @description Takes a signed PSBT, base64 or hex, from any source and verifies it. Claims in the request are kept as evidence and override nothing. A PSBT that proves nothing is also an order, REJECTED; the same authorisation is always the same order. While an authority is unavailable, the order is pending.
         */
        post: operations["importOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/orders/portable-event": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import a signed Nostr event of kind 802
         * @description Verifies id and signature of the event, then the order as in an import. Its tags are claims.
         */
        post: operations["importPortableEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/orders/import/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import many signed orders, for customers
         * @description NDJSON: up to 256 lines and 4 MiB, each line the body of an import, of 256 KiB at most. Each is answered by a line, in order, as soon as it and all before it are decided: the order or the refusal that an import alone would get, with its status. Each line counts as a request of the key. 4 batches of a key are in progress at a time. The answer ends early only with its connection: send the lines again that have no answer, the same order is never there twice. The schemas are of one line.
         */
        post: operations["importBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/orders/inspect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find everything wrong with a PSBT, a transaction or an event
         * @description Takes exactly one of `psbt`, `transaction` and `event`; with the first two also the claims of an import. Nothing is stored. The answer has every problem at once, each with its place and what a seller can do; the verdict that it would get now; repaired bytes, where changing bytes is enough, to be imported as `psbt`; and who pays what when it is bought. Problems are in the answer even if an import would refuse the artifact, and so is an unavailable authority. Counted with imports; an Idempotency-Key is ignored.
         */
        post: operations["inspectOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Browse orders
         * @description Filters are exact and combined with AND; every sort has the order id as its last key, so a cursor resumes exactly. `total` counts all matches of the filters. Artifacts are not included. An unknown parameter is ignored, unless it is one edit away from a known one: that is refused with its name.
         */
        get: operations["listOrders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/orders/facets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count orders by facet
         * @description The filters of `listOrders`. Each value’s count is of the orders of the list that have it, without the facet’s own filter and with the other filters as they are. Withdrawn and rejected orders are counted where the list shows them. An answer may be 5 s old.
         */
        get: operations["countFacets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/addresses/{address}/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Browse the orders of a seller
         * @description Orders whose offered output is at the address: `listOrders` with the address as `seller`. Withdrawn and rejected ones are listed as there. An address of another network is refused.
         */
        get: operations["listOrdersOfAddress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/orders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an order
         * @description The current order, without the signed artifact. Text from third parties is omitted if an operator has hidden the order, as shown by `validation.reasons`.
         */
        get: operations["readOrder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/orders/{id}/artifact": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the signed artifact of a LIVE order
         * @description The PSBT signed by the seller, with its current verification. An order that was verified too long ago is verified again first.
         */
        get: operations["readArtifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/orders/{id}/nostr-envelope": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an unsigned Nostr event that announces a LIVE order
         * @description Kind 802, for the customer’s own signer: the service holds no Nostr keys and publishes nothing. Submit the signed event with `importPortableEvent`.
         */
        get: operations["readNostrEnvelope"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/orders/{id}/revalidate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify an order again
         * @description The order after a fresh verification with both authorities. While one is unavailable, the answer is 503 and nothing changes.
         */
        post: operations["revalidateOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/outpoints/{outpoint}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what an output is exposed to
         * @description Every ask of the output that was ever proved here, newest first: open, closed to make room, withdrawn and hidden ones too, each with its signed price and whether anyone with the PSBT can take the output for it. `lowest` is the lowest such price over all pages. `bids` are those that the output pays for, the newest 50. Only a block that spends the output ends them. Nothing that a sender wrote is shown.
         */
        get: operations["readExposure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/outpoints/{outpoint}/self-spend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compose the spend that ends all authorisations of an output
         * @description An unsigned, replaceable PSBT that moves the output to an address of its owner. Every asset goes with it: if one would be lost to the fee, it is refused. The fee is taken from the end of the output, half of it at most, or paid by `fundingUtxos`, which must be known to be empty and be offered by no open order here. Nothing is stored or broadcast; an Idempotency-Key is ignored.
         */
        post: operations["buildSelfSpend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/addresses/{address}/outputs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the outputs of an address, each examined
         * @description The unspent outputs of an address, as the index knows them: at most 100, those with inscriptions first, then the largest, half of them for each. Each is examined as `checkOutputs` does it: a wallet is offered what it may sell (`holds_inscription` alone is against it) and what it may pay with (`safe`). The index must follow addresses (`ord --index-addresses`).
         */
        get: operations["readAddressOutputs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/outpoints/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check which outputs are safe to pay with
         * @description Takes up to 100 outputs, each once. The answer says for each whether a purchase may name it as padding or payment, and everything against it. While the index is unavailable or behind, an output that it has not examined is not safe. Nothing is stored; an Idempotency-Key is ignored.
         */
        post: operations["checkOutputs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/inscriptions/{inscriptionId}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what an inscription shows
         * @description The content of an inscription that an order here offers, as its index proved: text (JSON too), images, audio and video; text and SVG up to 1 MiB, all else up to 4 MiB. HTML and every other type are refused with their size, as is content that is not of the type that it claims, and the content of an inscription of which an operator hides an order. It was written by a stranger: show it as an image, as media, as text, or in a frame with `sandbox`. `Range` reads a part of it.
         */
        get: operations["readContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/fees": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what fee rates the node estimates
         * @description For a block soon (2), within the hour (6) and within the day (144). Where the node has no estimate, `estimates` lacks it. The node is asked at most once in 30 seconds.
         */
        get: operations["readFees"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/orders/{id}/quote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Quote a purchase
         * @description The buyer names only its own outputs: value and script come from the node, and the index confirms that each output holds no assets. One that an open order here offers is refused; the notice `PAYS_FOR_BID` names an open bid that one pays for. The PSBT in the answer contains the seller’s signature, so one signing round of the buyer completes it.
         */
        post: operations["quoteOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/operations/paddings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compose the small outputs that a purchase begins with
         * @description An unsigned, replaceable PSBT that makes paddings from outputs of the buyer, who gets the change. A quote names two of them, so that the bought asset keeps its place among the sats. Each output named is examined as for a quote: one that holds an inscription or a rune, or that an open order here offers, is refused. Nothing is stored or broadcast; an Idempotency-Key is ignored.
         */
        post: operations["buildPaddings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/orders/{id}/preflight": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a signed purchase before it is broadcast
         * @description Takes exactly one of `finalTxHex` and `signedPsbt`. Checks the order against the chain, the payout, the path of every asset’s sat, and asks the node whether it would accept the transaction. Nothing is broadcast. A transaction that fails a check gets `allowed: false` and one `rejectReason`. The notices `INPUT_OFFERED` and `PAYS_FOR_BID` name other open orders here that it would end.
         */
        post: operations["preflightOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/orders/{id}/ownership-challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the message that the owner of the offered output signs
         * @description The message names service, order, output and time; it is valid until `expiresAt`. Sign it according to BIP-322 with the key of `address`.
         */
        get: operations["readOwnershipChallenge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/orders/{id}/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraw an order as its seller
         * @description Stops publication by this service. Copies of the artifact cannot be recalled: only spending the offered output makes them unusable. `signature` is a BIP-322 proof (simple or full) of the message of a current challenge; the one in this example is for a challenge that expired long ago.
         */
        post: operations["withdrawOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/admin/hidden-orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the hidden orders
         * @description Orders hidden by operators, in any state: newest first, with all their text. `total` counts all of them.
         */
        get: operations["listHiddenOrders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/admin/orders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an order as an operator
         * @description The current order, including the text of a hidden one.
         */
        get: operations["readOrderAsOperator"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/admin/orders/{id}/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraw an order as an operator
         * @description Permanent moderation: this service stops publishing the order. A reason is shown publicly with the order; who withdrew it is logged by the service, and in no answer.
         */
        post: operations["withdrawOrderAsOperator"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/admin/orders/{id}/hide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hide an order
         * @description Reversible moderation: the order is removed from every list, search and total, is BLOCKED, and releases nothing signed; reading it still shows what was proved, but its text only to operators. Verification continues. The reason is logged by the service, and in no answer.
         */
        post: operations["hideOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/admin/orders/{id}/unhide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Unhide an order
         * @description The order is listed again, in its current state.
         */
        post: operations["unhideOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/admin/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how far the service is
         * @description Of each partition of the log what its readers have left to read, and its watermark; the state of each feed; the dead letters of the inbox; the rates of the log; and of the process that answers its build, uptime, rates, disk and the last acts of operators. `market lag` and `market dlq` print some of the same.
         */
        get: operations["readOperations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/admin/dead-letters/{partition}/{offset}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a dead letter of the inbox
         * @description Why the record was set aside, and the record: as `market dlq show` prints it.
         */
        get: operations["readDeadLetter"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/admin/dead-letters/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry dead letters of the inbox
         * @description As `market dlq retry`: each record is appended to the inbox again if it can be read now, and no later news of its output is there. One that was retried is not retried again. A request ends after 200 letters or 10 s: where `next` is not null, send it as `after`.
         */
        post: operations["retryDeadLetters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/admin/topics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the topics of the log
         * @description What the log keeps, how much of it, and for how long.
         */
        get: operations["listTopics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/admin/topics/{topic}/records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Browse the records of a topic
         * @description From the end of the log, a time or an offset, towards older or newer records. A page is at most 512 KiB, 20,000 records that a filter passes over, and 6 s: `stopped` says which bound ended it, and its cursors go on from there. One page is read at a time. Hashes of keys, and what secrets of webhooks are derived from, are withheld.
         */
        get: operations["listRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/admin/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhooks
         * @description Each with the state of its deliveries, without its secret.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description Every change from now on that passes the filter is posted to the URL, signed as Standard Webhooks requires. Only this answer shows the secret, and its repeat by the same operator within a day: under the same Idempotency-Key, or with the same body until it is rotated.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/admin/webhooks/{name}/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the dead letters of a webhook
         * @description Changes that could not be delivered for a day, with the last reason.
         */
        get: operations["listWebhookDeadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/admin/webhooks/{name}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of a webhook
         * @description For a day the previous secret signs every delivery, too; five may sign at once. Only this answer shows the new one, and its repeat by the same operator within a day: under the same Idempotency-Key, or with the same `secretVersion`, the number of the secret that is to be replaced.
         */
        post: operations["rotateWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/admin/webhooks/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a webhook
         * @description Nothing is sent until it is resumed; it then continues where it stopped.
         */
        post: operations["pauseWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/admin/webhooks/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a webhook
         * @description Also one that its endpoint ended with 410. A failing change is retried at once.
         */
        post: operations["resumeWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/admin/webhooks/{name}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry the dead letters of a webhook
         * @description Each is sent once more, before later changes and so out of order; a failing change is retried at once. One that fails again stays a dead letter.
         */
        post: operations["retryWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/admin/webhooks/{name}/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete a webhook
         * @description Its dead letters are deleted with it. The answer is the webhook as it was.
         */
        post: operations["deleteWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/admin/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys of customers
         * @description Each with the limits of its tier, without its secret. Revoked ones are left out.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Make a key for a customer
         * @description The customer sends it as `Authorization: Bearer`, and is limited by its tier instead of its address. Only this answer shows it; the service stores its SHA-256. If the answer is lost, rotate the key: an Idempotency-Key is ignored.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/admin/keys/{name}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the key of a customer
         * @description Makes a new secret, which only this answer shows. Those before it are accepted for a day, or for `previousForSeconds`: 0 ends a key that has leaked. The streams of a secret are closed within seconds of its end, and its batches take no further line. Five are accepted at a time. An Idempotency-Key is ignored.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/admin/keys/{name}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke the key of a customer
         * @description No secret of it is accepted any more, at every gateway within moments: its streams are closed, and its batches take no further line. The answer is the key as it was.
         */
        post: operations["revokeKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/orders/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of an order, or the one in force at a time or a height
         * @description What the order was after each change, in the order of `seq`, with the evidence of the change. `at` takes the version in force at a time, or at the block of a height: just before the history first named a higher one. An order that is not proved has the versions of the pool, without hashes. Text and evidence are withheld while an operator hides the order.
         */
        get: operations["listOrderVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/admin/orders/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the versions of an order as an operator
         * @description The same, including text and evidence of a hidden order.
         */
        get: operations["listOrderVersionsAsOperator"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/orders/{id}/bundle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get everything that proves an order, to be checked without a network
         * @description Canonical JSON (RFC 8785), as `market verify-bundle FILE --key KEY` checks it: the changes of the order with their evidence and hashes, Merkle proofs of the offered output and of its spend, headers, its own SHA-256, and the signature of this service by the key in `safety.bundleKey` of `/protocol`. It includes the artifact while the order is LIVE and fresh; a change that carries another artifact, or an operator’s reason, is withheld and marked as such.
         */
        get: operations["readBundle"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/admin/orders/{id}/bundle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get everything that proves an order, as an operator
         * @description The same with nothing withheld. It names operators: it is not for the public.
         */
        get: operations["readBundleAsOperator"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the activity, newest first
         * @description The lifecycle log: every change of state, with its reason and who caused it. A malformed or unknown order id has no entries.
         */
        get: operations["listActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/activity/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow changes as they happen
         * @description Server-sent events. A new stream begins with `snapshot`, the orders that match now; each `change` after it is one change of one order, sent once and in the order of that order’s changes. A client that reconnects with the `id` of its last event as `Last-Event-ID`, as EventSource does, resumes after it, at any gateway. `heartbeat` comes after 10 s without a change. `resync-required` ends a stream that cannot continue without a gap: open a new one. A client that reads nothing for 30 s is disconnected, and so is one whose key ends; a stream ends after an hour. The schema is that of the `data` of each event.
         */
        get: operations["streamActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/stats/market": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The market now, by market and token
         * @description The rows of the view `stats_market` of the history, by its columns: whole numbers of 64 bits are decimal text. The history follows the log by a second or two, and an answer may be 5 s old.
         */
        get: operations["readMarketNow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/stats/depth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * LIVE orders by price
         * @description The rows of the view `stats_depth` of the history, by its columns: whole numbers of 64 bits are decimal text. The history follows the log by a second or two, and an answer may be 5 s old. Refused unless it names protocol or token.
         */
        get: operations["readDepth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/stats/book": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The book as of a time, or of the height of a block
         * @description The rows of the view `stats_book` of the history, by its columns: whole numbers of 64 bits are decimal text. The history follows the log by a second or two, and an answer may be 5 s old. Refused unless it names at.
         */
        get: operations["readBook"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/stats/volume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sales, their volume and sellers of 1, 7 and 30 days, beside the days before
         * @description Computed from `stats_sales` of the history: whole numbers of 64 bits are decimal text. The history follows the log by a second or two, and an answer may be 5 s old.
         */
        get: operations["readVolume"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/stats/floor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The floor over time, by hour, day or week
         * @description Computed from `stats_book` of the history: whole numbers of 64 bits are decimal text. The history follows the log by a second or two, and an answer may be 5 s old. Refused unless it names protocol or token.
         */
        get: operations["listFloors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/stats/candles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prices and volume of the sales by hour, day or week
         * @description The rows of the view `stats_candles` of the history, by its columns: whole numbers of 64 bits are decimal text. The history follows the log by a second or two, and an answer may be 5 s old.
         */
        get: operations["listCandles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/stats/sales": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sales, the newest first; those that a reorganisation took back are marked
         * @description The rows of the view `stats_sales` of the history, by its columns: whole numbers of 64 bits are decimal text. The history follows the log by a second or two, and an answer may be 5 s old.
         */
        get: operations["listSales"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/stats/inscription": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the orders of an inscription went through
         * @description The rows of the view `stats_inscription` of the history, by its columns: whole numbers of 64 bits are decimal text. The history follows the log by a second or two, and an answer may be 5 s old. Refused unless it names inscription.
         */
        get: operations["readInscriptionLife"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/stats/transaction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a transaction did to orders: which it bought or spent, and whether it still does
         * @description The rows of the view `stats_transaction` of the history, by its columns: whole numbers of 64 bits are decimal text. The history follows the log by a second or two, and an answer may be 5 s old. Refused unless it names txid.
         */
        get: operations["readTransactionEffects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/stats/sellers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What sellers listed and sold, the largest volume first
         * @description The rows of the view `stats_sellers` of the history, by its columns: whole numbers of 64 bits are decimal text. The history follows the log by a second or two, and an answer may be 5 s old.
         */
        get: operations["listSellers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/stats/time-to-settle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How long orders were LIVE until they were sold, by day of the sale
         * @description The rows of the view `stats_time_to_settle` of the history, by its columns: whole numbers of 64 bits are decimal text. The history follows the log by a second or two, and an answer may be 5 s old.
         */
        get: operations["readTimeToSettle"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/stats/conflicts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Conflicts, replacements and settlements taken back, by day
         * @description The rows of the view `stats_conflicts` of the history, by its columns: whole numbers of 64 bits are decimal text. The history follows the log by a second or two, and an answer may be 5 s old.
         */
        get: operations["listConflicts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/stats/verdicts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verdicts by day and reason
         * @description The rows of the view `stats_verdicts` of the history, by its columns: whole numbers of 64 bits are decimal text. The history follows the log by a second or two, and an answer may be 5 s old.
         */
        get: operations["listVerdicts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/stats/sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * States of the orders that a source reported, by day
         * @description The rows of the view `stats_sources` of the history, by its columns: whole numbers of 64 bits are decimal text. The history follows the log by a second or two, and an answer may be 5 s old.
         */
        get: operations["listSources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/stats/{name}.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A statistic as CSV
         * @description CSV of RFC 4180 in UTF-8, its first line the names of the columns; what is null is an empty cell. It has the columns of the statistic's view and all its rows; a file of more than 10000 rows or 16 MiB is refused, unless `limit` asks for its first rows. A file may be a minute old; `Range` reads a part of it.
         */
        get: operations["readStatisticCsv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/market/stats/{name}.parquet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A statistic as Parquet
         * @description Parquet, as DuckDB, pandas and others read it by its address. It has the columns of the statistic's view and all its rows; a file of more than 10000 rows or 16 MiB is refused, unless `limit` asks for its first rows. A file may be a minute old; `Range` reads a part of it.
         */
        get: operations["readStatisticParquet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Is the process alive?
         * @description Answers under any load.
         */
        get: operations["probeLife"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Should this process get traffic?
         * @description The message of a 503 says why not; `degraded` names unavailable parts that the process can work without.
         */
        get: operations["probeReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pairing/objects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Objects, newest first
         * @description The view of this pipeline alone, not verified with the other.
         */
        get: operations["listObjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pairing/objects/{objectKey}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One object
         * @description The view of this pipeline alone, not verified with the other.
         */
        get: operations["readObject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pairing/objects/{objectKey}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happened to an object, newest first
         * @description The events that carry its key, of all transactions. The view of this pipeline alone.
         */
        get: operations["listEventsOfObject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pairing/carriers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Carriers, newest first
         * @description Outputs that are or were carriers of objects, including spent ones.
         */
        get: operations["listCarriers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pairing/carriers/{txid}/{vout}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One carrier, spent or not
         * @description By the outpoint of the output.
         */
        get: operations["readCarrier"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pairing/checkpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Checkpoints, newest first
         * @description The nine fields of each block that this pipeline has indexed, unsigned.
         */
        get: operations["listCheckpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pairing/events/{txid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a transaction did to objects
         * @description Events in their order. A recorded transaction without effect has none.
         */
        get: operations["readEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pairing/transactions/{txid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One transaction with a marker
         * @description What its marker requested, and, where it had no effect, why.
         */
        get: operations["readTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pairing/objects/{objectKey}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prove that an object is in a checkpoint
         * @description Everything that the root of one checkpoint is a hash of, with this pipeline’s signature of the checkpoint: `market pairing verify-proof` checks it without a network. The record is as it was after that block, the last that changed it. A block that changed more than 500 records of the kind has no proof.
         */
        get: operations["proveObject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pairing/carriers/{txid}/{vout}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prove that a carrier is in a checkpoint
         * @description Everything that the root of one checkpoint is a hash of, with this pipeline’s signature of the checkpoint: `market pairing verify-proof` checks it without a network. The record is as it was after that block, the last that changed it. A block that changed more than 500 records of the kind has no proof.
         */
        get: operations["proveCarrier"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pairing/events/{txid}/{eventIndex}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prove that an event is in a checkpoint
         * @description Everything that the root of one checkpoint is a hash of, with this pipeline’s signature of the checkpoint: `market pairing verify-proof` checks it without a network. The record is as it was after that block, the last that changed it. A block that changed more than 500 records of the kind has no proof.
         */
        get: operations["proveEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pairing/verified/objects/{objectKey}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One object, verified
         * @description Answered only while both pipelines have signed the same nine fields.
         */
        get: operations["readVerifiedObject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pairing/verified/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search, verified
         * @description Answered only while both pipelines have signed the same nine fields. Objects first, then the rest, each sorted by key.
         */
        get: operations["searchVerified"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pairing/verified/addresses/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Carriers of an address, verified
         * @description Answered only while both pipelines have signed the same nine fields. Newest first, including spent ones.
         */
        get: operations["listVerifiedCarriers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pairing/agreement/{height}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The signed checkpoint of a height
         * @description What this pipeline has signed. A 500 means that no signing boundary is configured: alert, do not retry.
         */
        get: operations["readAgreement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pairing/readiness": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Can verified reads be answered?
         * @description Ten gates; the reasons name every failing gate, in the order of evaluation.
         */
        get: operations["readPairingReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pairing/divergences": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where the pipelines signed different fields, newest first
         * @description Both signed envelopes of each difference that this pipeline has found.
         */
        get: operations["listDivergences"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Should this pipeline get traffic?
         * @description The same as `/pairing/readiness`.
         */
        get: operations["probePairing"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/circles/snapshot": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The whole state, as canonical bytes
         * @description The body is canonical JSON (RFC 8785): its SHA-256 is the state hash, which is also the ETag. Blocks that arrive while it is sent are not included.
         */
        get: operations["readSnapshot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/circles/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The state at the tip
         * @description Revision and hash of the state. Height and block are null before the first block.
         */
        get: operations["readState"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/circles/states": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * States of the best chain, newest first
         * @description One entry for each block of the best chain that changed the graph.
         */
        get: operations["listStates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/circles/lineages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One lineage
         * @description A lineage continues from circle to circle, until any other transaction spends it.
         */
        get: operations["readLineage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/circles/circles/{txid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One circle
         * @description The transaction and its members, by slot.
         */
        get: operations["readCircle"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/circles/shards/{outpoint}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One shard, spent or not
         * @description An output of a circle, by its outpoint.
         */
        get: operations["readShard"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/circles/schema.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The schema of the snapshot
         * @description JSON Schema 2020-12; unknown properties are not allowed.
         */
        get: operations["readSnapshotSchema"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @enum {string} */
        Actionability: "REVIEW_ONLY" | "HANDOFF_READY" | "BLOCKED";
        ActivityEntry: {
            /** @description id of the change, unique in the activity */
            id: string;
            /** @description the order that changed */
            orderId: string;
            /** @description the state before; null: the first change of the order */
            fromState: components["schemas"]["OrderState"] | null;
            /** @description the state after */
            toState: components["schemas"]["OrderState"];
            /** @description code of why it changed: see docs/order-states.md */
            reason: string;
            /** @description who caused it: `reconciler`, `seller`, `operator` or `import` */
            actor: string;
            /**
             * Format: date-time
             * @description when the change was observed (RFC 3339)
             */
            observedAt: string;
        };
        ActivityPage: {
            /** @description changes of state, newest first */
            entries: components["schemas"]["ActivityEntry"][];
            /** @description most entries of a page, as asked for */
            limit: number;
            /** @description `cursor` of the next page; empty on the last page */
            nextCursor: string;
            /** @description whether there is a next page */
            hasMore: boolean;
        };
        AddressCarriers: {
            /** @description the address that was asked for */
            address: string;
            /** @description carriers at the address */
            carriers: components["schemas"]["PairingCarrier"][];
        };
        AgreementEnvelope: {
            /**
             * @description the pipeline that signed it
             * @enum {string}
             */
            pipeline: "A" | "B";
            /** @description id of the key that signed it */
            keyId: string;
            /** @description the nine compared fields */
            tuple: components["schemas"]["CheckpointTuple"];
            /** @description the release of the software that signed it */
            release: {
                /** @description name of the software */
                name: string;
                /** @description its version */
                version: string;
                /** @description commit that it was built from */
                commit: string;
                /** @description digest of what was built */
                digest: string;
            };
            /** @description signature of the tuple (BIP 340), 64 bytes in hex */
            signature: string;
        };
        AssetClaim: {
            /** @description the inscription, `<reveal txid>i<index>` */
            inscriptionId: string;
            /** @description the output that holds it */
            outpoint: components["schemas"]["Outpoint"];
            /** @description number of the inscription, read from the asset index during verification */
            inscriptionNumber?: number;
        };
        Authorisation: {
            /** @description the order that the signature makes */
            orderId: string;
            /** @description state of that order */
            state: components["schemas"]["OrderState"];
            /** @description code of why it has its state */
            reason: string;
            /** @description what its taker must pay to the seller’s script, sats; null: nothing is signed */
            signedPriceSats: string | null;
            /** @description SHA-256 of the decoded PSBT that is kept */
            digest: string;
            /** @description whether an operator hides the order */
            hidden: boolean;
            /**
             * Format: date-time
             * @description when it was received first (RFC 3339)
             */
            firstSeenAt: string;
            /**
             * Format: date-time
             * @description when it was received last (RFC 3339)
             */
            lastSeenAt: string;
            /** @description when it ceased to be followed here, which ends no signature; null: it is followed (RFC 3339) */
            closedAt: string | null;
            /** @description NOW: a holder of the PSBT can take the output for the price; LATER: once `notBefore` is reached, or the output is there; ENDED: a block spends the output; UNPROVED: no signature of its owner was verified */
            takeable: components["schemas"]["Takeable"];
            /** @description what must be reached before it can be taken; null: nothing */
            notBefore: components["schemas"]["NotBefore"] | null;
            /** @description nVersion of the transaction */
            version: number;
            /** @description nLockTime of the transaction */
            locktime: number;
            /** @description nSequence of the offered input */
            sequence: number;
        };
        /** @description What became of one line of a batch. */
        BatchLine: {
            /** @description number of the line of the body, from 1 */
            line: number;
            /** @description of the answer that an import alone would get: 201, or a refusal’s */
            status: number;
            /** @description how long to wait before the line is sent again; null: the service does not say */
            retryAfterSeconds: number | null;
            /** @description what an import of the line alone would answer: the order, or the refusal */
            body: components["schemas"]["OrderSummary"] | components["schemas"]["ErrorResponse"];
        };
        BlockRef: {
            /** @description height of the block; the first block has 0 */
            height: number;
            /** @description hash of the block, as explorers show it */
            hash: string;
        };
        BuildAskResult: {
            /** @description the PSBT to sign with SINGLE|ANYONECANPAY, base64 */
            psbt: string;
            /** @description what the PSBT is and contains, unsigned */
            inspection: components["schemas"]["PsbtInspection"];
            /** @description the offered output */
            outpoint: components["schemas"]["Outpoint"];
            /** @description tip of the node when the output was checked */
            nodeTip: components["schemas"]["BlockRef"];
            /** @description the market, a catalog id */
            protocolId: string;
            /**
             * @description how the listing was built
             * @enum {string}
             */
            builderProfile: "OPEN_ASK" | "EXTERNAL_PSBT" | "EXTERNAL_SETTLEMENT";
        };
        BundledChange: {
            /** @description the record as the log has it */
            record: components["schemas"]["ChangeRecord"];
        } | components["schemas"]["WithheldChange"];
        BundledOrder: {
            /** @description the offered output */
            outpoint: string;
            /** @description state of the order */
            state: components["schemas"]["OrderState"];
            /** @description code of why it has its state */
            reason: string;
            /** @description number of its last change */
            seq: number;
            /** @description hash of its last change */
            hash: string;
            /** @description the wrapper that is kept, without its PSBT */
            claim: {
                /** @description what the PSBT is and contains */
                inspection: components["schemas"]["PsbtInspection"];
                /** @description what its signatures commit to */
                offer: components["schemas"]["Offer"];
                /** @description the offered output as the PSBT states it; null: it states none */
                claimedPrevout: components["schemas"]["TxOut"] | null;
                /** @description who sent it */
                source: components["schemas"]["SourceEvidence"];
                /** @description a claimed inscription without its whole output; untrusted */
                claimedInscription?: {
                    /** @description the claimed inscription */
                    inscriptionId: string;
                    /** @description transaction of the output that was claimed to hold it */
                    txid?: string;
                };
                /** @description the market, as its sender gave it; untrusted */
                protocolId?: string;
                /** @description the token, as its sender gave it; untrusted */
                token?: string;
                /**
                 * @description it was built and published here: what the build says outranks imports
                 * @constant
                 */
                published?: true;
                /** @description what the inspection of the PSBT noted, as codes */
                notes: string[];
            };
            /** @description block of the offered output; null: not known, or in the mempool */
            outputBlock: components["schemas"]["BlockRef"] | null;
            /** @description the answer of the index for the output; null: none */
            indexProof: components["schemas"]["IndexProof"] | null;
            /** @description what spent the output; null: nothing */
            spend: components["schemas"]["Spend"] | null;
            /** @description the purchase; null: none was observed */
            settlement: components["schemas"]["Settlement"] | null;
        };
        Catalog: components["schemas"]["ProtocolTemplate"][];
        CheckedOutput: {
            /** @description the output */
            outpoint: components["schemas"]["Outpoint"];
            /** @description node and index know it: unspent, confirmed and empty, and no open order here spends it */
            safe: boolean;
            /** @description value and script of the output; null: the node does not know it */
            output: components["schemas"]["TxOut"] | null;
            /** @description height of its block; null: in the mempool, or not known */
            height: number | null;
            /** @description every reason against paying with it; empty: it is safe */
            troubles: components["schemas"]["OutputTrouble"][];
        };
        ChangeRecord: {
            /**
             * @description form of the records of the log
             * @constant
             */
            schema: 1;
            /**
             * @description `transition`: the state changed; `verified`: only its proof; `noted`: anything else
             * @enum {string}
             */
            kind: "transition" | "verified" | "noted";
            /** @description the order that changed */
            orderId: string;
            /** @description the offered output */
            outpoint: string;
            /** @description number of the change among the changes of its order, from 1 */
            seq: number;
            /** @description the state before; null: the first change */
            fromState: components["schemas"]["OrderState"] | null;
            /** @description the state after */
            toState: components["schemas"]["OrderState"];
            /** @description code of why: see docs/order-states.md */
            reason: string;
            /** @description who caused it */
            actor: string;
            /** @description name of the operator who caused it; never shown to others */
            operator?: string;
            /** @description the proof of ownership that withdrew the order */
            proof?: {
                /** @description address of the offered output, as the challenge has it */
                address: string;
                /** @description the challenge that was signed */
                message: string;
                /** @description the signature under the challenge (BIP-322), base64 */
                signature: string;
                /**
                 * Format: date-time
                 * @description when the gateway accepted it, by its clock (RFC 3339)
                 */
                provedAt: string;
            };
            /**
             * Format: date-time
             * @description when the change was observed (RFC 3339)
             */
            observedAt: string;
            /** @description the inbox record that caused it */
            cause: {
                /** @description partition of the inbox */
                partition: number;
                /** @description offset of the record in that partition */
                offset: number;
                /** @description kind of the inbox record */
                kind: string;
                /** @description the request that wrote it */
                requestId?: string;
                /** @description position of the change in the story of its order, from 1 */
                told?: number;
            };
            /** @description the answers that it was decided by; null: no authority was asked */
            evidence: components["schemas"]["Evidence"] | null;
            /** @description the fields of the order that changed, with their values after */
            set: {
                /** @description order id */
                id?: string;
                /** @description the Bitcoin network of the order */
                network?: components["schemas"]["Network"];
                /** @description the offered output */
                outpoint?: string;
                /** @description state of the order */
                state?: components["schemas"]["OrderState"];
                /** @description code of why it has its state */
                reason?: string;
                /** @description number of its last change; 0: none yet */
                seq?: number;
                /** @description hash of its last change; null: none yet */
                hash?: string | null;
                /** @description the wrapper that is kept: the first whose signature verified, else the first */
                kept?: components["schemas"]["OfferClaim"];
                /** @description wrappers still to be judged, oldest first */
                claims?: components["schemas"]["OfferClaim"][];
                /** @description who sent the order, oldest first */
                sources?: components["schemas"]["SourceEvidence"][];
                /** @description how many sources there were beyond the 32 kept */
                sourcesDropped?: number;
                /** @description what was noted of the order, as codes */
                notes?: string[];
                /** @description the assets that it is for */
                assets?: components["schemas"]["AssetClaim"][];
                /** @description the last answers of node and index */
                validation?: components["schemas"]["Validation"];
                /** @description positions of the authorities at the last verdict; null: none yet */
                anchor?: {
                    /** @description tip of the node */
                    tip: components["schemas"]["BlockRef"];
                    /** @description mempool sequence of the node; null: not known */
                    mempoolSequence: number | null;
                    /** @description tip and version of the index; null: it was not asked */
                    index: {
                        /** @description height of the block; the first block has 0 */
                        height: number;
                        /** @description hash of the block, as explorers show it */
                        hash: string;
                        /** @description version of the index */
                        version: string;
                    } | null;
                    /** @description the last watermark before the verdict; null: none */
                    watermark: {
                        /** @description run of the ingest that wrote the watermark */
                        epoch: number;
                        /** @description number of the watermark in that run */
                        n: number;
                    } | null;
                    /**
                     * @description the partition had not reached this tip when the verdict was given
                     * @constant
                     */
                    ahead?: true;
                    /**
                     * @description the verdict rests on a mempool transaction that no news had named
                     * @constant
                     */
                    unheard?: true;
                } | null;
                /** @description when node and index were last asked about it; null: not yet (RFC 3339) */
                verifiedAt?: string | null;
                /**
                 * @description a signature of the owner, or of a bidder on all inputs, was verified once
                 * @constant
                 */
                proved?: true;
                /** @description true once its metadata was part of a LIVE verdict: no later one changes the market */
                metadataFixed?: boolean;
                /** @description the market; untrusted */
                protocolId?: string;
                /** @description the token; untrusted */
                token?: string;
                /**
                 * @description ASK: the seller signed, BID: the buyer signed
                 * @enum {string}
                 */
                side?: "ASK" | "BID";
                /** @description the signed price, sats */
                quotedPriceSats?: string;
                /** @description script of the offered output, hex */
                sellerScriptHex?: string;
                /** @description the purchase, if one was observed on the chain */
                settlement?: components["schemas"]["Settlement"];
                /** @description when and why it was withdrawn */
                withdrawal?: components["schemas"]["Withdrawal"];
                /** @description when and why an operator hid it */
                hidden?: {
                    /**
                     * Format: date-time
                     * @description when an operator hid the order (RFC 3339)
                     */
                    hiddenAt: string;
                    /** @description what the operator wrote, for operators */
                    reason?: string;
                };
                /** @description the block of the offered output; null: not known, or in the mempool */
                outputBlock?: components["schemas"]["BlockRef"] | null;
                /** @description the answer of the index for the output in `outputBlock`; null: none */
                indexProof?: components["schemas"]["IndexProof"] | null;
                /** @description what spent the output; null: nothing */
                spend?: components["schemas"]["Spend"] | null;
                /** @description number of its last question */
                attempt?: number;
                /** @description the question that waits for an answer; null: none */
                pending?: {
                    /** @description number of the question, from 1 */
                    attempt: number;
                    /** @description the last watermark when it was asked; null: none */
                    begunAt: {
                        /** @description run of the ingest that wrote the watermark */
                        epoch: number;
                        /** @description number of the watermark in that run */
                        n: number;
                    } | null;
                    /** @description mempool sequence of the node then; null: not known */
                    mempoolSequence: number | null;
                    /** @description news of its output came since it was asked */
                    touched: boolean;
                    /** @description how many of `claims` it covers, from the first */
                    asked: number;
                    /** @description requests that its verdict answers */
                    requests: {
                        /** @description id of the request */
                        requestId: string;
                        /**
                         * @description what was requested
                         * @enum {string}
                         */
                        kind: "import" | "revalidate";
                    }[];
                    /** @description requests that came after it was asked */
                    late: {
                        /** @description id of the request */
                        requestId: string;
                        /**
                         * @description what was requested
                         * @enum {string}
                         */
                        kind: "import" | "revalidate";
                    }[];
                    /**
                     * @description why it was asked
                     * @enum {string}
                     */
                    purpose: "import" | "request" | "recheck" | "audit";
                    /**
                     * @description its answer was ahead of the followed chain
                     * @constant
                     */
                    awaitsChain?: true;
                } | null;
                /** @description when it ceased to be followed; null: it is followed (RFC 3339) */
                closedAt?: string | null;
                /**
                 * Format: date-time
                 * @description when the service received the order first (RFC 3339)
                 */
                createdAt?: string;
                /**
                 * Format: date-time
                 * @description when the order last changed (RFC 3339)
                 */
                updatedAt?: string;
            };
            /** @description names of the fields that were removed */
            unset: string[];
            /** @description hash of the order’s previous change; null: the first */
            prevHash: string | null;
            /** @description SHA-256 of the RFC 8785 form of the record without this field */
            hash: string;
        };
        CheckpointTuple: {
            /** @description name of the deployment */
            deployment: string;
            /** @description the Bitcoin network */
            network: string;
            /** @description height of the block, decimal digits */
            height: string;
            /** @description hash of the block */
            blockHash: string;
            /** @description hash of the checkpoint of the block below; 64 zeros: there is none */
            previousCheckpointHash: string;
            /** @description root over the objects that the block changed, hex */
            objectsRoot: string;
            /** @description root over the carriers that the block changed, hex */
            carriersRoot: string;
            /** @description root over the events of the block, hex */
            eventsRoot: string;
            /** @description hash over the other eight fields, hex */
            checkpointHash: string;
        };
        Circle: {
            /** @description id of the transaction */
            txid: string;
            /** @description id of the transaction with its witnesses (BIP 141) */
            wtxid: string;
            /** @description hash of the context, as the transaction has it */
            contextHash: string;
            /** @description number of its members */
            participantCount: number;
            /** @description fee of the transaction, sats */
            feeSats: string;
            /** @description height of its block */
            blockHeight: number;
            /** @description hash of its block */
            blockHash: string;
            /** @description place of the transaction in its block, from 0 */
            transactionIndex: number;
            /** @description its members, by slot */
            members: components["schemas"]["Member"][];
        };
        CircleSnapshot: {
            /**
             * @description always `circles`
             * @constant
             */
            protocol: "circles";
            /**
             * @description version of the schema
             * @constant
             */
            version: 1;
            /** @description number of transactions of the best chain that changed the state */
            revision: number;
            /** @description every lineage, in canonical order */
            lineages: components["schemas"]["Lineage"][];
            /** @description every shard, in canonical order */
            shards: components["schemas"]["Shard"][];
            /** @description every circle, in canonical order */
            circles: components["schemas"]["Circle"][];
            /** @description every edge, in canonical order */
            edges: components["schemas"]["Edge"][];
        };
        CircleState: {
            /** @description number of transactions of the best chain that changed the state */
            revision: number;
            /** @description SHA-256 of the canonical bytes of the snapshot (RFC 8785) */
            stateHash: string;
            /** @description height of the last block read; null: before the first */
            height: number | null;
            /** @description hash of that block; null: before the first */
            blockHash: string | null;
        };
        DisputeBundle: {
            /**
             * @description format of the bundle
             * @constant
             */
            format: "market-dispute/1";
            /** @description the Bitcoin network */
            network: components["schemas"]["Network"];
            /** @description the order that it is about */
            orderId: string;
            /** @description the order as its last change left it */
            order: components["schemas"]["BundledOrder"];
            /** @description the PSBT, or why it is withheld */
            artifact: {
                /** @description SHA-256 of the decoded PSBT */
                digest: string;
                /** @description the PSBT, base64; null: it is withheld */
                psbt: string | null;
                /** @description why it is withheld; null: it is there */
                withheld: ("not_live" | "stale") | null;
            };
            /** @description the changes of the order by seq without gaps, up to the last one */
            changes: components["schemas"]["BundledChange"][];
            /** @description what the node says of the transactions and blocks that are named */
            proofs: {
                /** @description the transaction that made the offered output; null: the node gave no proof */
                output: components["schemas"]["TransactionProof"] | null;
                /** @description the transaction that spent it in a block; null: none, or no proof */
                spend: components["schemas"]["TransactionProof"] | null;
                /** @description headers of the blocks that evidence names, as far as the node has them, by hash */
                headers: {
                    /** @description hash of the block */
                    hash: string;
                    /** @description header of the block, 80 bytes in hex */
                    header: string;
                }[];
            };
            /** @description SHA-256 of the RFC 8785 form of all the rest, but the signature */
            sha256: string;
            /** @description of the service that made it; absent: it has no BUNDLE_KEY */
            signature?: {
                /** @description x-only (BIP 340) */
                publicKey: string;
                /** @description signature of `sha256` (BIP 340) */
                signature: string;
            };
        };
        Edge: {
            /** @description the circle that made the shard */
            fromCircle: string;
            /** @description the circle that spent it */
            toCircle: string;
            /** @description the lineage of the shard */
            lineageId: string;
            /** @description the shard that `fromCircle` made and `toCircle` spends */
            viaOutpoint: string;
        };
        ErrorResponse: {
            /** @description the HTTP status */
            statusCode: number;
            /** @description the name of the HTTP status */
            error: string;
            /** @description the exact reason; several problems are a list, each naming its field */
            message: string | string[];
            /** @description id of the request, as in `X-Request-Id` */
            requestId?: string;
            /** @description code of the refusal, from a closed list: see docs/errors.md */
            code?: string;
        };
        ExposedOutput: {
            /**
             * @description what the node says of the output; UNKNOWN: it finds neither the output nor a spend of it
             * @enum {string}
             */
            status: "UNSPENT" | "UNCONFIRMED" | "SPENT_IN_MEMPOOL" | "SPENT" | "UNKNOWN";
            /** @description value and script of the output; null: not known */
            output: components["schemas"]["TxOut"] | null;
            /** @description block of the output; null: in the mempool, or not known */
            block: components["schemas"]["BlockRef"] | null;
            /** @description the transaction that spends it; null: none, or not known */
            spentBy: {
                /** @description id of the spender */
                txid: string;
                /** @description block of the spender; null: it is in the mempool */
                block: components["schemas"]["BlockRef"] | null;
            } | null;
        };
        Exposure: {
            /** @description the output */
            outpoint: string;
            /** @description the Bitcoin network */
            network: components["schemas"]["Network"];
            /** @description what the node says of the output now */
            output: components["schemas"]["ExposedOutput"];
            /** @description the lowest prices that it can be taken for */
            lowest: {
                /** @description the lowest price that the output can be taken for now; null: it cannot be taken */
                now: components["schemas"]["LowestPrice"] | null;
                /** @description the lowest price at which it can be taken now or later; null: it cannot */
                ever: components["schemas"]["LowestPrice"] | null;
                /** @description false: there are too many authorisations below `now` to look at all */
                complete: boolean;
            };
            /** @description every ask ever proved for the output, newest first */
            authorisations: components["schemas"]["Authorisation"][];
            /** @description bids that the output pays for: until a block spends it, the owner of what a bid is for can complete the bid */
            bids: {
                /** @description the newest of them, at most 50 */
                newest: components["schemas"]["PaidBid"][];
                /** @description number of all of them */
                total: number;
            };
            /** @description asks of the output that proved nothing: kept for a day, the last 16 */
            unproved: components["schemas"]["Authorisation"][];
            /** @description number of `authorisations`, over all pages */
            total: number;
            /** @description most authorisations of a page, as asked for */
            limit: number;
            /** @description `cursor` of the next page; empty on the last page */
            nextCursor: string;
            /** @description whether there is a next page */
            hasMore: boolean;
            /** @description tip of the node when it was asked */
            nodeTip: components["schemas"]["BlockRef"];
            /**
             * Format: date-time
             * @description when this was observed (RFC 3339)
             */
            observedAt: string;
            /** @description what the owner should know */
            notices: components["schemas"]["Notice"][];
        };
        Evidence: {
            /** @description the last watermark when the question was asked; null: none */
            begunAt: {
                /** @description run of the ingest that wrote the watermark */
                epoch: number;
                /** @description number of the watermark in that run */
                n: number;
            } | null;
            /** @description mempool sequence of that watermark; null: not known */
            mempoolSequence: number | null;
            /**
             * Format: date-time
             * @description when node and index were asked (RFC 3339)
             */
            askedAt: string;
            /**
             * Format: date-time
             * @description when both had answered (RFC 3339)
             */
            answeredAt: string;
            /** @description what the full node said */
            node: components["schemas"]["NodeEvidence"];
            /** @description what the asset index said */
            index: components["schemas"]["IndexEvidence"];
        };
        HealthReport: {
            /** @description whether the service can do all that it is configured for */
            ok: boolean;
            /**
             * @description always `market`
             * @constant
             */
            service: "market";
            /** @description whether the market is enabled */
            enabled: boolean;
            /** @description whether it is enabled without a setting */
            defaultEnabled: boolean;
            /** @description the Bitcoin network */
            network: components["schemas"]["Network"];
            /**
             * @description `active`, `degraded`: something is unavailable, or `disabled`
             * @enum {string}
             */
            status: "active" | "degraded" | "disabled";
            /**
             * @description the variable that enables the market
             * @constant
             */
            featureFlag: "MARKET_ENABLED";
            /** @description whether a full node is configured */
            coreConfigured: boolean;
            /** @description whether an asset index is configured */
            assetIndexConfigured: boolean;
            /** @description whether both are */
            configurationComplete: boolean;
            /**
             * @description never: the service signs no transaction and broadcasts none
             * @constant
             */
            signsOrBroadcasts: false;
            /**
             * @description never
             * @constant
             */
            spendsFunds: false;
            /** @description kinds of sources that are taken */
            supportedSources: components["schemas"]["Source"][];
            /** @description whether the store can be written */
            storageWritable: boolean;
            /** @description whether orders can be verified now */
            readyForBitcoinListings: boolean;
            /** @description age up to which a verification counts as fresh, seconds */
            maxVerificationAgeSeconds: number;
            /** @description what that rests on */
            listingReadiness: components["schemas"]["ListingReadiness"];
        };
        IndexEvidence: {
            /**
             * @description `unavailable`: it gave no usable answer
             * @constant
             */
            status: "unavailable";
            /**
             * @description code of why it gave no answer
             * @enum {string}
             */
            reason: "asset_index_unconfigured" | "asset_index_unreachable" | "asset_index_behind" | "asset_index_reorged" | "asset_index_malformed" | "asset_index_not_asked";
        } | {
            /**
             * @description `ready`: it answered
             * @constant
             */
            status: "ready";
            /** @description block at which the index read its answer */
            at: {
                /** @description height of the block; the first block has 0 */
                height: number;
                /** @description hash of the block, as explorers show it */
                hash: string;
                /** @description version of the index */
                version: string;
            };
            /** @description whether the index has examined the output; false: empty lists mean unknown */
            indexed: boolean;
            /** @description inscriptions in the output; null: too many to look up */
            inscriptions: {
                /** @description inscription id */
                id: string;
                /** @description number of the inscription, by the index */
                number: number;
                /** @description offset of its sat in the output, sats */
                offset: string;
            }[] | null;
            /** @description runes in the output; null: this index does not follow runes */
            runes: {
                /** @description name of the rune */
                name: string;
                /** @description amount of the rune in its smallest unit, decimal digits */
                amount: string;
            }[] | null;
        };
        IndexProof: {
            /**
             * @description `ready`: it answered
             * @constant
             */
            status: "ready";
            /** @description block at which the index read its answer */
            at: {
                /** @description height of the block; the first block has 0 */
                height: number;
                /** @description hash of the block, as explorers show it */
                hash: string;
                /** @description version of the index */
                version: string;
            };
            /** @description whether the index has examined the output; false: empty lists mean unknown */
            indexed: boolean;
            /** @description inscriptions in the output; null: too many to look up */
            inscriptions: {
                /** @description inscription id */
                id: string;
                /** @description number of the inscription, by the index */
                number: number;
                /** @description offset of its sat in the output, sats */
                offset: string;
            }[] | null;
            /** @description runes in the output; null: this index does not follow runes */
            runes: {
                /** @description name of the rune */
                name: string;
                /** @description amount of the rune in its smallest unit, decimal digits */
                amount: string;
            }[] | null;
            /** @description the watermark under which the index was asked; null: none */
            begunAt: {
                /** @description run of the ingest that wrote the watermark */
                epoch: number;
                /** @description number of the watermark in that run */
                n: number;
            } | null;
        };
        InspectedVerdict: {
            /** @description the state that the order would have now */
            state: components["schemas"]["OrderState"];
            /** @description the answers of node and index, as the order would show them */
            validation: components["schemas"]["Validation"];
            /** @description tip of the index when it was asked; null: it was not */
            indexTip: components["schemas"]["BlockRef"] | null;
            /** @description the assets that the order would be for */
            assets: components["schemas"]["AssetClaim"][];
        };
        InspectionProblem: {
            /** @description code of the problem: see docs/inspection.md */
            code: string;
            /**
             * @description REFUSED: no import takes it; NOT_LIVE: its order would not be LIVE; NOTED: it is only shown
             * @enum {string}
             */
            effect: "REFUSED" | "NOT_LIVE" | "NOTED";
            /** @description what the problem is about */
            place: components["schemas"]["ProblemPlace"];
            /** @description the problem in words */
            message: string;
            /** @description what the seller can do */
            remedy: string;
            /** @description values of the problem, by name */
            details?: {
                [key: string]: string | number | string[];
            };
        };
        InspectResult: {
            /** @description the Bitcoin network that it was checked for */
            network: components["schemas"]["Network"];
            /**
             * @description what the request carried
             * @enum {string}
             */
            kind: "PSBT" | "TRANSACTION" | "EVENT";
            /** @description encoding of the text; null: an event */
            form: ("BASE64" | "HEX") | null;
            /** @description code with which an import would refuse it; null: an import would take it */
            refusedAs: string | null;
            /** @description what the PSBT is and contains; null: no PSBT can be read from it */
            inspection: components["schemas"]["PsbtInspection"] | null;
            /** @description the order that its signatures name; null: none */
            order: {
                /** @description order id */
                id: string;
                /** @description whether this service has the order */
                exists: boolean;
                /** @description its state; null: it does not exist */
                state: components["schemas"]["OrderState"] | null;
            } | null;
            /** @description every problem found */
            problems: components["schemas"]["InspectionProblem"][];
            /** @description what node and index say now; null: they were not asked */
            verdict: components["schemas"]["InspectedVerdict"] | null;
            /** @description the same authorisation in a PSBT without the problems of `mends`; null: there is none */
            repaired: {
                /** @description order id of the repaired PSBT */
                orderId: string;
                /** @description the repaired PSBT, base64: import it as `psbt` */
                psbt: string;
                /** @description SHA-256 of the decoded PSBT */
                digest: string;
                /** @description codes of the problems that it lacks */
                mends: string[];
                /** @description what node and index say of it; null: they were not asked */
                verdict: components["schemas"]["InspectedVerdict"] | null;
            } | null;
            /** @description who pays what when it is bought; null: not known */
            flow: components["schemas"]["PurchaseFlow"] | null;
        };
        InternalError: {
            /**
             * @description always 500
             * @constant
             */
            statusCode: 500;
            /**
             * @description always the same: the details are in the log of the service
             * @constant
             */
            message: "Internal server error";
        };
        Lineage: {
            /** @description id of the lineage */
            lineageId: string;
            /** @description the output that it began with */
            genesisOutpoint: string;
            /** @description its unspent shard; null: the lineage is closed */
            currentOutpoint: string | null;
            /**
             * @description `active`: it has a shard; `closed`: it was spent outside a circle
             * @enum {string}
             */
            status: "active" | "closed";
            /** @description height of its first circle */
            firstHeight: number;
            /** @description height of its latest circle, or of its closing */
            lastHeight: number;
            /** @description number of its circles */
            circleCount: number;
            /** @description transaction that closed it; null: none */
            closedByTxid: string | null;
        };
        ListingReadiness: {
            /** @description whether orders can be verified now */
            ready: boolean;
            /** @description code of why not; null: they can */
            reason: ("not_configured" | "storage_unavailable" | "core_unavailable_or_syncing" | "asset_index_unreachable" | "asset_index_behind" | "observation_timed_out") | null;
            /** @description height of the full node; null: it gave no answer */
            coreHeight: number | null;
            /** @description height of the asset index; null: it gave no answer */
            assetIndexHeight: number | null;
            /** @description blocks that the index is behind the node; null: not known */
            lagBlocks: number | null;
            /** @description the most blocks that it may be behind */
            maxLagBlocks: number;
            /** @description whether the store can be written */
            storageWritable: boolean;
            /**
             * Format: date-time
             * @description when this was observed (RFC 3339)
             */
            checkedAt: string;
        };
        LowestPrice: {
            /** @description the order with that price */
            orderId: string;
            /** @description the price, sats */
            signedPriceSats: string;
            /** @description what must be reached before it can be taken; null: nothing */
            notBefore: components["schemas"]["NotBefore"] | null;
        };
        Member: {
            /** @description index of its input and output in the circle, from 0 */
            slot: number;
            /** @description the lineage that it continues or begins */
            lineageId: string;
            /** @description the output that it spent */
            inputOutpoint: string;
            /** @description the shard that it made */
            outputOutpoint: string;
            /** @description value of its input, sats */
            inputValueSats: string;
            /** @description value of its output, sats */
            outputValueSats: string;
            /** @description its share of the fee: input minus output, sats */
            feeShareSats: string;
            /** @description whether the lineage existed before */
            wasExistingLineage: boolean;
        };
        MessageResponse: {
            /** @description the exact reason */
            message: string;
            /** @description the name of the HTTP status */
            error: string;
            /** @description the HTTP status */
            statusCode: number;
        };
        /** @enum {string} */
        Network: "mainnet" | "regtest" | "signet";
        NodeEvidence: {
            /**
             * @description `ready`: it answered; `unavailable`: it did not
             * @constant
             */
            status: "unavailable";
            /**
             * @description code of why it gave no answer
             * @enum {string}
             */
            reason: "node_unconfigured" | "node_unavailable" | "node_unauthorized" | "node_warming_up" | "node_in_ibd" | "node_wrong_network" | "node_mempool_loading";
        } | {
            /**
             * @description `ready`: it answered; `unavailable`: it did not
             * @constant
             */
            status: "ready";
            /** @description tip of the node when it answered */
            tip: {
                /** @description height of the block; the first block has 0 */
                height: number;
                /** @description hash of the block, as explorers show it */
                hash: string;
                /** @description median time past of the tip, Unix seconds */
                medianTime: number;
            };
            /** @description version of Bitcoin Core, as a number: what it relays depends on it */
            coreVersion?: number;
            /** @description the offered output */
            output: components["schemas"]["OutputEvidence"];
            /** @description the own inputs of a bid, in input order; empty for asks */
            funding: {
                /** @description the output that the bid pays with */
                outpoint: string;
                /** @description what the node says of it */
                output: components["schemas"]["OutputEvidence"];
                /** @description what the check of its signature found */
                signature: components["schemas"]["SignatureStatus"];
            }[];
            /** @description what was found of each wrapper’s signatures */
            signatures: {
                /** @description SHA-256 of the decoded PSBT that carried it */
                digest: string;
                /** @description what the check of the signatures found */
                status: components["schemas"]["SignatureStatus"];
                /** @description code of why; null: valid */
                reason: ("legacy_input" | "script_sig_missing" | "sighash_byte_missing_recoverable" | "sighash_not_single_anyonecanpay" | "signature_beyond_bound" | "signature_invalid" | "signature_unverifiable" | "witness_not_standard") | null;
                /**
                 * @description who checked: this service, the node, or neither
                 * @enum {string}
                 */
                by: "local" | "node" | "none";
            }[];
        };
        NostrEnvelope: {
            /**
             * @description kind of the event: 802
             * @constant
             */
            kind: 802;
            /** @description when it was made, Unix seconds */
            created_at: number;
            /** @description tags of the event: network, side, inscription, output, price, market */
            tags: string[][];
            /** @description the signed PSBT, base64 */
            content: string;
            /** @description what the signer should know */
            notice: string;
        };
        NotBefore: {
            /** @description height that the next block must have reached */
            height: number;
        } | {
            /** @description median time past that the chain must have reached, Unix seconds */
            medianTime: number;
        };
        Notice: {
            /** @description code of the notice, for programs */
            code: string;
            /** @description what the reader should know, in words */
            message: string;
        };
        Offer: {
            /**
             * @description ASK: the seller signed, BID: the buyer signed
             * @enum {string}
             */
            side: "ASK" | "BID";
            /** @description index of the offered input, from 0 */
            sellerIndex: number;
            /** @description the offered output */
            outpoint: string;
            /** @description nVersion of the transaction */
            version: number;
            /** @description nLockTime of the transaction */
            locktime: number;
            /** @description nSequence of every input, in order; only the offered one binds an ask */
            sequences: number[];
            /** @description of an ask the payout at the seller’s index; of a bid all outputs, in order */
            payouts: components["schemas"]["TxOut"][];
            /** @description the other inputs of a bid, in order */
            funding: string[];
            /** @description txid of the unsigned transaction */
            unsignedTxid: string;
        };
        OfferClaim: {
            /** @description the PSBT as received, base64 */
            artifact: string;
            /** @description what the PSBT is and contains */
            inspection: components["schemas"]["PsbtInspection"];
            /** @description what its signatures commit to */
            offer: components["schemas"]["Offer"];
            /** @description the offered output as the PSBT states it; null: it states none */
            claimedPrevout: components["schemas"]["TxOut"] | null;
            /** @description who sent it */
            source: components["schemas"]["SourceEvidence"];
            /** @description a claimed inscription without its whole output; untrusted */
            claimedInscription?: {
                /** @description the claimed inscription */
                inscriptionId: string;
                /** @description transaction of the output that was claimed to hold it */
                txid?: string;
            };
            /** @description the market, as its sender gave it; untrusted */
            protocolId?: string;
            /** @description the token, as its sender gave it; untrusted */
            token?: string;
            /**
             * @description it was built and published here: what the build says outranks imports
             * @constant
             */
            published?: true;
            /** @description what the inspection of the PSBT noted, as codes */
            notes: string[];
        };
        OrderArtifact: {
            /** @description the order that the PSBT belongs to */
            orderId: string;
            /** @description the Bitcoin network of the order */
            network: components["schemas"]["Network"];
            /** @description the signed PSBT, base64 */
            psbt: string;
            /** @description SHA-256 of the decoded PSBT */
            digest: string;
            /** @description what the PSBT is and contains */
            inspection: components["schemas"]["PsbtInspection"];
            /** @description the last answers of node and index */
            validation: components["schemas"]["Validation"];
            /** @description how old these answers are */
            verification: components["schemas"]["VerificationView"];
            /** @description state of the order: LIVE, since no other releases its PSBT */
            state: components["schemas"]["OrderState"];
            /** @description what can be done with the order now */
            actionability: components["schemas"]["Actionability"];
            /** @description what a buyer should know before using it */
            notices?: components["schemas"]["Notice"][];
        };
        /** @enum {string} */
        OrderClass: "ASK_ANYONECANPAY" | "BID_FULLY_FUNDED" | "UNSUPPORTED";
        OrderFacets: {
            /** @description orders that pass all filters */
            total: number;
            /** @description the counts, by facet */
            facets: {
                /** @description orders by state */
                state: {
                    /** @description a value of the facet */
                    value: components["schemas"]["OrderState"];
                    /** @description orders that have it and pass the filters of the other facets */
                    count: number;
                }[];
                /** @description orders by side */
                side: {
                    /**
                     * @description a value of the facet
                     * @enum {string}
                     */
                    value: "ASK" | "BID";
                    /** @description orders that have it and pass the filters of the other facets */
                    count: number;
                }[];
                /** @description the markets of the catalog, each with its aliases; orders of other markets count in none */
                protocol: {
                    /** @description a value of the facet */
                    value: string;
                    /** @description orders that have it and pass the filters of the other facets */
                    count: number;
                }[];
                /** @description orders by group of the catalog */
                group: {
                    /** @description a value of the facet */
                    value: string;
                    /** @description orders that have it and pass the filters of the other facets */
                    count: number;
                }[];
                /** @description an order counts for each of its sources */
                source: {
                    /** @description a value of the facet */
                    value: components["schemas"]["Source"];
                    /** @description orders that have it and pass the filters of the other facets */
                    count: number;
                }[];
                /** @description orders by class */
                orderClass: {
                    /** @description a value of the facet */
                    value: components["schemas"]["OrderClass"];
                    /** @description orders that have it and pass the filters of the other facets */
                    count: number;
                }[];
                /** @description orders by safety */
                safety: {
                    /** @description a value of the facet */
                    value: components["schemas"]["Safety"];
                    /** @description orders that have it and pass the filters of the other facets */
                    count: number;
                }[];
                /** @description orders by the status of their signatures */
                signature: {
                    /** @description a value of the facet */
                    value: components["schemas"]["SignatureStatus"];
                    /** @description orders that have it and pass the filters of the other facets */
                    count: number;
                }[];
                /** @description as of the answer, which may be 5 s old */
                actionability: {
                    /** @description a value of the facet */
                    value: components["schemas"]["Actionability"];
                    /** @description orders that have it and pass the filters of the other facets */
                    count: number;
                }[];
            };
        };
        OrderPage: {
            /** @description orders of this page */
            orders: components["schemas"]["OrderSummary"][];
            /** @description number of orders that pass the filters, over all pages */
            total: number;
            /** @description most entries of a page, as asked for */
            limit: number;
            /** @description `cursor` of the next page; empty on the last page */
            nextCursor: string;
            /** @description whether there is a next page */
            hasMore: boolean;
        };
        /** @enum {string} */
        OrderState: "PENDING_NODE" | "PENDING_ASSET" | "LIVE" | "MEMPOOL_CONFLICTED" | "SPENT" | "SETTLED" | "REJECTED" | "WITHDRAWN";
        OrderSummary: {
            /** @description order id: names what the signatures authorise, in whichever PSBT they come */
            id: string;
            /** @description the Bitcoin network of the order */
            network: components["schemas"]["Network"];
            /** @description what the PSBT is and contains; the PSBT itself is in the artifact */
            inspection: components["schemas"]["PsbtInspection"];
            /** @description the assets that the order is for: proved ones if it is LIVE, else claimed ones */
            assets: components["schemas"]["AssetClaim"][];
            /** @description who sent the order, oldest first: at most 32 */
            sources: components["schemas"]["SourceEvidence"][];
            /** @description state of the order, decided by node and index */
            state: components["schemas"]["OrderState"];
            /** @description what can be done with the order now; BLOCKED: nothing */
            actionability: components["schemas"]["Actionability"];
            /** @description the last answers of node and index */
            validation: components["schemas"]["Validation"];
            /** @description script of the offered output, hex: identifies its owner */
            sellerScriptHex?: string;
            /** @description the purchase, if one was observed on the chain */
            settlement?: components["schemas"]["Settlement"];
            /** @description the market, a catalog id, as its sender gave it; untrusted */
            protocolId?: string;
            /** @description name of the token or collection, as its sender gave it; untrusted */
            token?: string;
            /**
             * @description ASK: the seller signed, BID: the buyer signed
             * @enum {string}
             */
            side?: "ASK" | "BID";
            /** @description the signed price, sats: of an ask what its seller is paid; of a bid without the value of the wanted output */
            quotedPriceSats?: string;
            /** @description when and why it was withdrawn; absent: it is not */
            withdrawal?: components["schemas"]["Withdrawal"];
            /**
             * Format: date-time
             * @description when the service received the order first (RFC 3339)
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description when the order last changed (RFC 3339)
             */
            updatedAt: string;
        };
        OrderVersion: {
            /** @description number of the change that made this version, from 1 */
            seq: number;
            /**
             * @description `transition`: the state changed; `verified`: only its proof; `noted`: anything else
             * @enum {string}
             */
            kind: "transition" | "verified" | "noted";
            /** @description the state before; null: the first version */
            fromState: components["schemas"]["OrderState"] | null;
            /** @description state of this version */
            state: components["schemas"]["OrderState"];
            /** @description code of why it has its state */
            reason: string;
            /** @description who caused the change */
            actor: string;
            /** @description kind of the inbox record that caused it; null: the order was in the pool */
            cause: string | null;
            /**
             * Format: date-time
             * @description when the change was observed (RFC 3339)
             */
            observedAt: string;
            /**
             * Format: date-time
             * @description when this change and all before it had been observed (RFC 3339)
             */
            inForceFrom: string;
            /** @description until when it was in force, excluded; null: it is in force; `inForceFrom` again: it never was (RFC 3339) */
            inForceUntil: string | null;
            /** @description the offered output */
            outpoint: string;
            /** @description as told in this version; untrusted */
            protocolId: string | null;
            /** @description as told in this version; untrusted */
            token: string | null;
            /** @description ASK or BID; null: not known */
            side: ("ASK" | "BID") | null;
            /** @description the signed price, sats: of an ask with the postage, of a bid without it */
            quotedPriceSats: string | null;
            /** @description inscriptions that it is for */
            inscriptionIds: string[];
            /** @description what spent the output; null: nothing */
            spendTxid: string | null;
            /** @description null: in the mempool, or not spent */
            spendHeight: number | null;
            /** @description the transaction that bought it; null: none */
            settlementTxid: string | null;
            /** @description the answers that it was decided by; null: no authority was asked, or it is withheld */
            evidence: components["schemas"]["Evidence"] | null;
            /** @description hash of the change; null: the order is not proved yet, so the log does not have it */
            hash: string | null;
            /** @description hash of the change before; null: the first, or not in the log */
            prevHash: string | null;
        };
        OrderVersionPage: {
            /** @description the order */
            orderId: string;
            /** @description an operator hides the order: `protocolId`, `token` and `evidence` are null */
            isWithheld: boolean;
            /** @description versions of the order */
            versions: components["schemas"]["OrderVersion"][];
            /** @description most versions of a page, as asked for */
            limit: number;
            /** @description `cursor` of the next page; empty on the last page */
            nextCursor: string;
            /** @description whether there is a next page */
            hasMore: boolean;
        };
        Outpoint: {
            /** @description id of the transaction that made the output */
            txid: string;
            /** @description index of the output in its transaction, from 0 */
            vout: number;
        };
        AddressOutputs: {
            /** @description the address that was asked about */
            address: string;
            /** @description the Bitcoin network */
            network: components["schemas"]["Network"];
            /** @description the outputs, in the order asked */
            outputs: components["schemas"]["CheckedOutput"][];
            /** @description tip of the node when it was asked */
            nodeTip: components["schemas"]["BlockRef"];
            /** @description tip of the index; null: it gave no usable answer */
            indexTip: components["schemas"]["BlockRef"] | null;
            /**
             * Format: date-time
             * @description when they were checked (RFC 3339)
             */
            observedAt: string;
            /** @description what the reader should know */
            notices: components["schemas"]["Notice"][];
            /** @description how many it has; the answer has at most 100 of them */
            total: number;
        };
        OutputsChecked: {
            /** @description the Bitcoin network */
            network: components["schemas"]["Network"];
            /** @description the outputs, in the order asked */
            outputs: components["schemas"]["CheckedOutput"][];
            /** @description tip of the node when it was asked */
            nodeTip: components["schemas"]["BlockRef"];
            /** @description tip of the index; null: it gave no usable answer */
            indexTip: components["schemas"]["BlockRef"] | null;
            /**
             * Format: date-time
             * @description when they were checked (RFC 3339)
             */
            observedAt: string;
            /** @description what the reader should know */
            notices: components["schemas"]["Notice"][];
        };
        OutputTrouble: {
            /**
             * @description code of the reason against the output
             * @enum {string}
             */
            code: "spent_in_mempool" | "spent_or_unknown" | "unconfirmed" | "coinbase_immature" | "spend_size_unknown" | "holds_inscription" | "holds_runes" | "offered" | "pays_for_bid" | "index_behind" | "not_examined" | "index_unavailable";
            /** @description the reason in words */
            message: string;
            /** @description the transaction, inscription, rune, order or reason that it is about */
            subject?: string;
        };
        OutputEvidence: {
            /**
             * @description `unspent`, `spent`, or `missing`: the node does not know the output
             * @constant
             */
            status: "unspent";
            /** @description value and script of the output; null: the node cannot tell */
            output: components["schemas"]["TxOut"];
            /** @description whether a coinbase transaction made it */
            coinbase: boolean;
            /** @description block that made it; null: in the mempool, or the node cannot tell */
            block: components["schemas"]["BlockRef"] | null;
            /** @description median time past of the block before `block`, Unix seconds; for time locks of BIP 68 */
            priorMedianTime: number | null;
        } | {
            /**
             * @description `unspent`, `spent`, or `missing`: the node does not know the output
             * @constant
             */
            status: "spent";
            /** @description whether the spender is in a block */
            confirmed: boolean;
            /** @description value and script of the output; null: the node cannot tell */
            output: components["schemas"]["TxOut"] | null;
            /** @description block that made it; null: in the mempool, or the node cannot tell */
            block: components["schemas"]["BlockRef"] | null;
            /** @description the spender; null: the node cannot name it */
            by: components["schemas"]["Spend"] | null;
        } | {
            /**
             * @description `unspent`, `spent`, or `missing`: the node does not know the output
             * @constant
             */
            status: "missing";
        };
        OwnershipChallenge: {
            /** @description the order that the challenge is for */
            orderId: string;
            /** @description address of the offered output, whose key signs */
            address: string;
            /** @description the text to sign (BIP-322) */
            message: string;
            /**
             * Format: date-time
             * @description from when the challenge is accepted (RFC 3339)
             */
            windowStart: string;
            /**
             * Format: date-time
             * @description until when the challenge is accepted (RFC 3339)
             */
            expiresAt: string;
        };
        PaidBid: {
            /** @description the bid */
            orderId: string;
            /** @description state of the bid */
            state: components["schemas"]["OrderState"];
            /** @description code of why it has its state */
            reason: string;
            /** @description the output that it bids for */
            outpoint: string;
            /** @description what the seller gets beside the value of that output, sats; null: not known */
            signedPriceSats: string | null;
            /** @description SHA-256 of the decoded PSBT that is kept */
            digest: string;
            /** @description whether an operator hides the bid */
            hidden: boolean;
            /**
             * Format: date-time
             * @description when it was received first (RFC 3339)
             */
            firstSeenAt: string;
            /**
             * Format: date-time
             * @description when it was received last (RFC 3339)
             */
            lastSeenAt: string;
            /** @description when it ceased to be followed here, which ends no signature; null: it is followed (RFC 3339) */
            closedAt: string | null;
        };
        PairingCarrier: {
            /** @description transaction of the carrier */
            txid: string;
            /** @description index of the carrier in its transaction, from 0 */
            vout: number;
            /** @description key of the object that it carries or carried */
            objectKey: string;
            /** @description address of the carrier (P2WSH, bech32) */
            address: string;
            /** @description script of the carrier, hex */
            scriptHex: string;
            /** @description value of the carrier, sats */
            valueSats: string;
            /** @description height of the block that made it */
            createdHeight: number;
            /** @description transaction that spent it; null: it is unspent */
            spentByTxid: string | null;
            /** @description height of the block that spent it; null: it is unspent */
            spentHeight: number | null;
        };
        PairingEvent: {
            /** @description the transaction of the event */
            txid: string;
            /** @description number of the event in its transaction, from 0 */
            eventIndex: number;
            /** @description height of its block */
            height: number;
            /** @description hash of its block */
            blockHash: string;
            /**
             * @description what happened
             * @enum {string}
             */
            kind: "object_created" | "carrier_moved" | "objects_paired" | "pair_dissolved" | "object_released";
            /** @description key of the object */
            objectKey: string;
            /** @description carrier before the event; null: none */
            from: string | null;
            /** @description carrier after the event; null: none */
            to: string | null;
            /** @description id of the pair that it is about; null: none */
            pairId: string | null;
        };
        PairingObject: {
            /** @description key of the object, 32 bytes in hex */
            objectKey: string;
            /** @description SHA-256 of the content, as its creator gave it */
            contentHash: string;
            /** @description label of the object, as its creator gave it; untrusted */
            label: string;
            /**
             * @description `active`: a carrier holds it; `released`: none does
             * @enum {string}
             */
            status: "active" | "released";
            /** @description output that carries it; null: it is released */
            carrier: string | null;
            /** @description address of the carrier (P2WSH, bech32); null: it is released */
            address: string | null;
            /** @description id of its pair; null: it is in none */
            pairId: string | null;
            /** @description key of the object that it is paired with; null: none */
            pairedWith: string | null;
            /** @description transaction that created it */
            createdTxid: string;
            /** @description height of the block that created it */
            createdHeight: number;
            /** @description number of its events */
            eventCount: number;
        };
        PairingProof: {
            /**
             * @description format of the proof
             * @constant
             */
            format: "pairing-proof-1";
            /**
             * @description kind of the record
             * @enum {string}
             */
            kind: "object" | "carrier" | "event";
            /** @description as it was after the block of the checkpoint */
            record: components["schemas"]["PairingObject"] | components["schemas"]["PairingCarrier"] | components["schemas"]["PairingEvent"];
            /** @description of the record among `records`, from 0 */
            position: number;
            /** @description all records of this kind that the block changed, in the order of the root */
            records: (components["schemas"]["PairingObject"] | components["schemas"]["PairingCarrier"] | components["schemas"]["PairingEvent"])[];
            /** @description the same root of the block below, which this one is chained to; null for events, which are not */
            previousRoot: string | null;
            /** @description the checkpoint whose root is proved */
            checkpoint: components["schemas"]["CheckpointTuple"];
            /** @description the checkpoint as this pipeline has signed it; null without a signing boundary */
            envelope: components["schemas"]["AgreementEnvelope"] | null;
        };
        PairingTransaction: {
            /** @description id of the transaction */
            txid: string;
            /** @description height of its block */
            height: number;
            /** @description hash of its block */
            blockHash: string;
            /** @description place of the transaction in its block, from 0 */
            transactionIndex: number;
            /** @description opcode of its marker; null: it has no marker, or several */
            opcode: number | null;
            /** @description whether its marker has an effect */
            valid: boolean;
            /** @description code of why its marker has no effect; null: it has one, or there is no marker */
            reason: ("multiple_markers" | "unknown_opcode" | "malformed_body" | "bad_input" | "duplicate_input" | "bad_vout" | "duplicate_vout" | "not_p2wsh" | "input_not_carrier" | "already_paired" | "not_paired") | null;
        };
        PreflightResult: {
            /** @description the exact bytes that were checked, hex: broadcast these and no others */
            finalTxHex?: string;
            /** @description the order that is bought */
            orderId: string;
            /** @description whether the transaction buys the order, loses no asset, and the node would accept it */
            allowed: boolean;
            /**
             * @description code of why not
             * @enum {string}
             */
            rejectReason?: "duplicate_input" | "offered_output_not_spent" | "authorisation_changed" | "payout_missing" | "payout_changed" | "input_missing" | "outputs_exceed_inputs" | "asset_to_fee" | "asset_to_payout" | "asset_burned" | "input_unconfirmed" | "input_not_indexed" | "input_holds_inscription" | "input_holds_runes" | "runes_burned" | "runes_to_payout" | "not_accepted_by_node";
            /** @description id of the transaction */
            txid?: string;
            /** @description size of the transaction, vB */
            vsize?: number;
            /** @description network fee of the transaction, sats */
            feesSats?: string;
            /**
             * Format: date-time
             * @description when it was checked (RFC 3339)
             */
            checkedAt: string;
            /** @description what the buyer should know */
            notices?: components["schemas"]["Notice"][];
        };
        ProbeReport: {
            /**
             * @description always true
             * @constant
             */
            ok: true;
        };
        ProblemPlace: {
            /** @description JSON pointer (RFC 6901) into the request; empty: all of it */
            pointer: string;
            /** @description index of the input of the PSBT or transaction, from 0 */
            input?: number;
            /** @description index of the output of the PSBT or transaction, from 0 */
            output?: number;
        };
        ReadinessReport: {
            /**
             * @description always true
             * @constant
             */
            ok: true;
            /** @description Unavailable parts that this process can work without. */
            degraded: string[];
        };
        ReadinessSnapshot: {
            /** @description whether the configuration is valid */
            configurationValid: boolean;
            /** @description whether the store answers */
            databaseAvailable: boolean;
            /** @description whether the full node answers */
            coreAvailable: boolean;
            /** @description whether the node is on the configured network */
            coreNetworkMatches: boolean;
            /** @description whether the node is still downloading blocks */
            coreInitialBlockDownload: boolean;
            /** @description height of the node; null: not known */
            nodeHeight: number | null;
            /** @description height of the index; null: it has no block yet */
            canonicalHeight: number | null;
            /** @description height of the last checkpoint; null: there is none */
            checkpointHeight: number | null;
            /** @description the most blocks that the index may be behind the node */
            maxBlockLag: number;
            /** @description whether this pipeline can sign */
            signerConfigured: boolean;
            /** @description whether no gate fails */
            ready: boolean;
            /** @description code of every gate that fails, in the order of evaluation */
            reasons: ("configuration_invalid" | "database_unavailable" | "bitcoin_core_unavailable" | "bitcoin_network_mismatch" | "bitcoin_core_initial_block_download" | "node_height_unknown" | "canonical_tip_missing" | "block_lag_exceeded" | "checkpoint_incomplete" | "agreement_signer_unavailable")[];
        };
        ProtocolContract: {
            /**
             * @description name of the contract
             * @constant
             */
            name: "Market";
            /** @description how sales are settled, in words */
            settlement: string;
            /** @description what decides the state of an order, in words */
            sourceOfTruth: string;
            /** @description kinds of listings that this gateway supports */
            supportedProfiles: ("OPEN_ASK" | "EXTERNAL_PSBT" | "EXTERNAL_SETTLEMENT")[];
            /** @description how each class of order is signed */
            orderTemplates: {
                /** @description an ask: the seller signed, any buyer may complete it */
                ASK_ANYONECANPAY: {
                    /**
                     * @description the side that it is for
                     * @enum {string}
                     */
                    side: "ASK" | "BID";
                    /** @description who has signed the artifact, and what of it */
                    signedBy: string;
                    /** @description the sighash types that are accepted */
                    sighash: string[];
                    /** @description what the signatures bind */
                    commitsTo: string[];
                    /** @description what the other party adds */
                    completedBy: string;
                    /** @description the safety that its orders can have */
                    safety: components["schemas"]["Safety"][];
                };
                /** @description a bid: the buyer signed and paid, the owner of the asset completes it */
                BID_FULLY_FUNDED: {
                    /**
                     * @description the side that it is for
                     * @enum {string}
                     */
                    side: "ASK" | "BID";
                    /** @description who has signed the artifact, and what of it */
                    signedBy: string;
                    /** @description the sighash types that are accepted */
                    sighash: string[];
                    /** @description what the signatures bind */
                    commitsTo: string[];
                    /** @description what the other party adds */
                    completedBy: string;
                    /** @description the safety that its orders can have */
                    safety: components["schemas"]["Safety"][];
                };
            };
            /** @description what the service does and does not do */
            safety: {
                /**
                 * @description no transaction
                 * @constant
                 */
                signsOrBroadcasts: false;
                /**
                 * @description never
                 * @constant
                 */
                spendsFunds: false;
                /** @description states of an order in which its PSBT is released */
                artifactReleasedIn: components["schemas"]["OrderState"][];
                /** @description age up to which a verification counts as fresh, seconds */
                maxVerificationAgeSeconds: number;
                /** @description what a withdrawal does and does not do, in words */
                withdrawal: string;
                /** @description how a purchase can be replaced, in words */
                replacement: string;
                /** @description which fields of an order nothing has verified, in words */
                claims: string;
                /** @description x-only public key (BIP 340) that signs bundles of orders; null: they are not signed */
                bundleKey: string | null;
            };
            /** @description how orders are announced as Nostr events */
            nostr: {
                /**
                 * @description the kind of the events
                 * @constant
                 */
                kind: 802;
                /** @description the Bitcoin network of the orders */
                network: components["schemas"]["Network"];
                /**
                 * @description never: the service has no key of Nostr
                 * @constant
                 */
                holdsKeys: false;
                /**
                 * @description never: the client publishes
                 * @constant
                 */
                publishes: false;
                /** @description meaning of each tag */
                tags: {
                    [key: string]: string;
                };
                /** @description what the content of an event is */
                content: string;
            };
        };
        ProtocolTemplate: {
            /** @description id of the market, as `protocolId` of orders */
            id: string;
            /** @description name of the market */
            label: string;
            /** @description path of its order list, below the origin */
            route: string;
            /**
             * @description the chain that it belongs to
             * @enum {string}
             */
            family: "bitcoin" | "dogecoin" | "counterparty";
            /**
             * @description how its sales are made
             * @enum {string}
             */
            capability: "PSBT_HANDOFF" | "EXTERNAL_SETTLEMENT";
            /**
             * @description how its listings are built
             * @enum {string}
             */
            builderProfile: "OPEN_ASK" | "EXTERNAL_PSBT" | "EXTERNAL_SETTLEMENT";
            /**
             * @description what a listing must name
             * @enum {string}
             */
            assetRequirement: "INSCRIPTION" | "OUTPOINT" | "NONE";
            /** @description name of its kind of listing */
            templateLabel: string;
            /** @description what a seller should know */
            templateGuidance: string;
            /** @description what the verification of its orders proves, and what it does not */
            verificationScope: string;
            /** @description what works for it here */
            capabilities: {
                /** @description its orders can be listed */
                browse: boolean;
                /** @description an ask for it can be built here */
                createListing: boolean;
                /** @description the asset index proves where the asset is, not only that its output is unspent */
                verifyAssetSemantics: boolean;
                /** @description its orders are only for review: no PSBT is handed to a buyer */
                reviewOnlyHandoff: boolean;
                /** @description its sales are settled elsewhere */
                externalSettlement: boolean;
                /** @description orders of other sources are taken for it */
                sourceIngestion: boolean;
                /** @description what is sold can be shown from here */
                mediaResolution: boolean;
            };
            /** @description id of its group */
            groupId: string;
            /** @description name of its group */
            groupLabel: string;
            /** @description place of its group among the groups, from 1 */
            groupOrder: number;
            /** @description place of the market in its group, from 1 */
            displayOrder: number;
            /** @description id of the market that this id is another name of */
            aliasOf?: string;
        };
        PsbtInspection: {
            /** @description version of the PSBT: 0 (BIP 174) or 2 (BIP 370) */
            psbtVersion: number;
            /** @description txid of the unsigned transaction in the PSBT */
            unsignedTxid: string;
            /** @description SHA-256 of the decoded PSBT */
            digest: string;
            /** @description inputs of the transaction */
            inputCount: number;
            /** @description outputs of the transaction */
            outputCount: number;
            /** @description the outputs that it spends, in input order */
            inputOutpoints: components["schemas"]["Outpoint"][];
            /** @description for each input, value and script as the PSBT states them; null: it states none */
            inputWitnessUtxos: (components["schemas"]["TxOut"] | null)[];
            /** @description values of the outputs in order, sats */
            outputValuesSats: string[];
            /** @description scripts of the outputs in order, hex */
            outputScriptsHex: string[];
            /** @description whether the PSBT has proprietary fields (BIP 174) */
            hasProprietaryFields: boolean;
            /** @description whether the PSBT has fields that neither BIP 174 nor BIP 370 names */
            hasUnknownFields: boolean;
            /** @description whether its signatures are valid for the prevouts of the node */
            signatureStatus: components["schemas"]["SignatureStatus"];
            /** @description what kind of order its signatures make */
            orderClass: components["schemas"]["OrderClass"];
            /** @description what a buyer who relies on it risks: others can take an ask before */
            safety: components["schemas"]["Safety"];
            /** @description why it has its class and safety */
            reasons: string[];
        };
        PurchaseFlow: {
            /**
             * @description ASK: the seller signed, BID: the buyer signed
             * @enum {string}
             */
            side: "ASK" | "BID";
            /**
             * @description who says the value of the seller’s input: the node, or only the PSBT
             * @enum {string}
             */
            valueFrom: "NODE" | "PSBT";
            /** @description value of the offered output, which is spent, sats */
            sellerInputSats: string;
            /** @description what of that value reaches the buyer with the asset, sats */
            postageSats: string;
            /** @description what the seller’s script is paid, sats */
            payoutSats: string;
            /** @description what a buyer pays for the asset, postage included and the network fee not, sats */
            grossPriceSats: string;
            /** @description the payout less the value of the seller’s input, sats; may be negative */
            netPriceSats: string;
            /** @description fee of the marketplace, sats */
            marketplaceFeeSats: string;
            /** @description royalty of the creator, sats */
            creatorRoyaltySats: string;
            /**
             * @description who pays the network fee
             * @constant
             */
            networkFeePaidBy: "BUYER";
            /** @description network fee of a bid, sats; the fee of an ask is its buyer’s choice */
            networkFeeSats?: string;
        };
        FeeEstimates: {
            /** @description the Bitcoin network of the node */
            network: components["schemas"]["Network"];
            /** @description estimates of the node, the soonest first; empty: it has none, as on regtest */
            estimates: {
                /** @description blocks until a transaction with this rate is confirmed */
                blocks: number;
                /** @description fee rate, sat/vB */
                feeRateSatsPerVb: string;
            }[];
            /** @description the least that the node accepts now, sat/vB */
            minimumFeeRateSatsPerVb: string;
            /**
             * Format: date-time
             * @description when the node was asked (RFC 3339)
             */
            observedAt: string;
        };
        Quote: {
            /** @description the order that is bought */
            orderId: string;
            /** @description the Bitcoin network of the order */
            network: components["schemas"]["Network"];
            /** @description the PSBT for the buyer to sign, base64; signed only by the seller so far */
            psbt: string;
            /** @description index of the seller’s input and of the seller’s payment output, from 0 */
            sellerIndex: number;
            /** @description the asset that is bought; null: the output itself */
            asset: components["schemas"]["AssetClaim"] | null;
            /** @description address that receives the asset */
            assetReceiveAddress: string;
            /** @description address that receives change and padding */
            paymentAddress: string;
            /** @description script that the seller is paid at, hex */
            sellerPaymentScriptHex: string;
            /** @description value of the offered output, which goes to the buyer, sats */
            assetValueSats: string;
            /** @description what the seller is paid, sats */
            sellerProceedsSats: string;
            /** @description fee of the marketplace, sats */
            marketplaceFeeSats: string;
            /** @description royalty of the creator, sats */
            creatorRoyaltySats: string;
            /** @description network fee, sats */
            networkFeeSats: string;
            /** @description fee rate, sat/vB */
            feeRateSatsPerVb: string;
            /** @description estimated size of the signed transaction, vB */
            estimatedVbytes: string;
            /** @description change of the buyer, sats */
            changeSats: string;
            /** @description padding that the buyer supplies and gets back, sats: no cost */
            paddingSats: string;
            /** @description all that the buyer pays, sats */
            totalBuyerCostSats: string;
            /** @description outputs that are spent, in input order */
            inputOutpoints: components["schemas"]["Outpoint"][];
            /** @description scripts of the outputs in order, hex */
            outputScriptsHex: string[];
            /** @description values of the outputs in order, sats */
            outputValuesSats: string[];
            /** @description tip of the node, and height of the index, that the quote was made at */
            checkpoint: {
                /** @description height of the block; the first block has 0 */
                height: number;
                /** @description hash of the block, as explorers show it */
                hash: string;
                /** @description height of the asset index */
                assetIndexHeight: number;
            };
            /**
             * Format: date-time
             * @description when the quote was made (RFC 3339)
             */
            observedAt: string;
            /**
             * Format: date-time
             * @description until when the quote is meant to be used (RFC 3339)
             */
            expiresAt: string;
            /** @description what the buyer should know */
            notices?: components["schemas"]["Notice"][];
        };
        /** @enum {string} */
        Safety: "PUBLIC_RACEABLE" | "TARGETED_REVIEW" | "UNSUPPORTED";
        SearchResult: {
            /**
             * @description what was found
             * @enum {string}
             */
            kind: "object" | "carrier" | "transaction" | "address";
            /** @description object key, outpoint, txid or address */
            key: string;
            /** @description label of an object; untrusted */
            label?: string;
        };
        SearchResults: {
            /** @description the text that was searched for */
            query: string;
            /** @description what was found */
            results: components["schemas"]["SearchResult"][];
        };
        SelfSpend: {
            /** @description the output that is spent */
            outpoint: string;
            /** @description the Bitcoin network */
            network: components["schemas"]["Network"];
            /** @description the PSBT for the owner to sign, base64 */
            psbt: string;
            /** @description number of authorisations seen here that it ends; it ends any other as well */
            authorisations: number;
            /** @description address that receives the output */
            destinationAddress: string;
            /** @description outputs that are spent, in input order */
            inputOutpoints: components["schemas"]["Outpoint"][];
            /** @description scripts of the outputs in order, hex */
            outputScriptsHex: string[];
            /** @description values of the outputs in order, sats */
            outputValuesSats: string[];
            /** @description network fee, sats */
            networkFeeSats: string;
            /** @description fee rate, sat/vB */
            feeRateSatsPerVb: string;
            /** @description estimated size of the signed transaction, vB */
            estimatedVbytes: string;
            /** @description change of the outputs that pay the fee, sats */
            changeSats: string;
            /** @description what the output holds, and where each inscription’s sat will be in output 0 */
            inscriptions: {
                /** @description inscription id */
                id: string;
                /** @description offset of its sat in output 0, sats */
                offset: string;
            }[];
            /** @description tip of the node, and height of the index, that it was made at */
            checkpoint: {
                /** @description height of the block; the first block has 0 */
                height: number;
                /** @description hash of the block, as explorers show it */
                hash: string;
                /** @description height of the asset index */
                assetIndexHeight: number;
            };
            /**
             * Format: date-time
             * @description when it was made (RFC 3339)
             */
            observedAt: string;
            /** @description what the owner should know */
            notices: components["schemas"]["Notice"][];
        };
        Settlement: {
            /** @description the transaction that bought it */
            txid: string;
            /**
             * Format: date-time
             * @description when the service saw the transaction first (RFC 3339)
             */
            observedAt: string;
            /** @description blocks that confirm it, its own included; 0: it is in the mempool */
            confirmations: number;
            /**
             * Format: date-time
             * @description when the service saw it in a block (RFC 3339)
             */
            confirmedAt?: string;
        };
        Shard: {
            /** @description the output */
            outpoint: string;
            /** @description the lineage that it belongs to */
            lineageId: string;
            /** @description its script (P2TR), hex */
            scriptPubKey: string;
            /** @description its value, sats */
            valueSats: string;
            /** @description the circle that made it */
            createdByCircle: string;
            /** @description the output that the input of its slot spent */
            previousOutpoint: string;
            /** @description height of the block that made it */
            createdHeight: number;
            /** @description transaction that spent it; null: it is unspent */
            spentByTxid: string | null;
            /** @description height of the block that spent it; null: it is unspent */
            spentHeight: number | null;
        };
        /** @enum {string} */
        SignatureStatus: "NONE" | "VALID" | "INVALID" | "UNAVAILABLE";
        /** @enum {string} */
        Source: "portable-nostr802" | "asset-offers" | "direct-import";
        SourceEvidence: {
            /** @description the kind of source that sent the order */
            source: components["schemas"]["Source"];
            /** @description name of the source, as the source or the sender gave it; untrusted */
            sourceId: string;
            /**
             * Format: date-time
             * @description when the service received it (RFC 3339)
             */
            observedAt: string;
            /** @description id of the Nostr event that carried it (NIP-01) */
            eventId?: string;
            /** @description x-only public key that signed the event */
            eventPubkey?: string;
            /** @description whether the event’s own signature is valid; proves nothing of the PSBT */
            signatureVerified?: boolean;
            /** @description price that the source gave, sats; untrusted */
            claimedPriceSats?: string;
            /** @description asset that the source gave; untrusted */
            claimedAsset?: components["schemas"]["AssetClaim"];
        };
        Spend: {
            /** @description the transaction that spends the output */
            txid: string;
            /** @description index of the input that spends it, from 0 */
            inputIndex: number;
            /** @description txid of the spender without scriptSigs: what a bid commits to */
            unsignedTxid: string;
            /** @description output of the spender at the index of the spending input; null: there is none */
            pairedOutput: components["schemas"]["TxOut"] | null;
            /** @description block of the spender; null: it is in the mempool */
            block: {
                /** @description height of the block; the first block has 0 */
                height: number;
                /** @description hash of the block, as explorers show it */
                hash: string;
                /** @description time of the block’s header, Unix seconds */
                time: number;
            } | null;
        };
        /** @description One change of one order. */
        StreamChange: {
            /** @description the order that changed */
            orderId: string;
            /** @description number of the change among the changes of its order, from 1 */
            seq: number;
            /**
             * Format: date-time
             * @description when the change was observed (RFC 3339)
             */
            observedAt: string;
            /** @description the change of state, as in the activity; null if the state is unchanged */
            entry: components["schemas"]["ActivityEntry"] | null;
            /** @description the order as it is when this is sent, at this change or a later one; null if the filters do not list it (any longer) */
            order: components["schemas"]["OrderSummary"] | null;
        };
        /** @description The stream ends, since it cannot continue without a gap: begin again without a cursor. `too_old`: more changes happened since than are kept; `other_log`: the cursor is from another log; `views_behind`: the order views have not caught up. */
        StreamEnd: {
            /**
             * @description why the stream cannot continue without a gap
             * @enum {string}
             */
            reason: "too_old" | "other_log" | "views_behind";
        };
        /** @description Nothing changed; its id is a place to resume from. */
        StreamHeartbeat: {
            /**
             * Format: date-time
             * @description when it was sent (RFC 3339)
             */
            at: string;
        };
        /** @description The orders that match now, newest first. */
        StreamSnapshot: {
            /** @description orders that match, newest first */
            orders: components["schemas"]["OrderSummary"][];
            /** @description number of orders that match, listed here or not */
            total: number;
            /** @description whether more match than are listed here */
            hasMore: boolean;
        };
        /** @enum {string} */
        Takeable: "NOW" | "LATER" | "ENDED" | "UNPROVED";
        TransactionPlan: {
            /** @description the Bitcoin network */
            network: components["schemas"]["Network"];
            /** @description the PSBT to sign, base64, version 0 */
            psbt: string;
            /** @description txid of the unsigned transaction; that of a segwit spend stays */
            unsignedTxid: string;
            /** @description outputs that are spent, in input order */
            inputs: {
                /** @description the output that is spent */
                outpoint: components["schemas"]["Outpoint"];
                /** @description its value, sats */
                valueSats: string;
                /** @description its script, hex */
                scriptHex: string;
                /**
                 * @description what it is for
                 * @enum {string}
                 */
                role: "BUYER_FUNDING";
            }[];
            /** @description outputs that are made, in order */
            outputs: {
                /** @description its value, sats */
                valueSats: string;
                /** @description its script, hex */
                scriptHex: string;
                /** @description the address that names its script */
                address: string | null;
                /**
                 * @description what it is for
                 * @enum {string}
                 */
                role: "PADDING" | "CHANGE";
            }[];
            /** @description inputs that the owner signs; a wallet is given these and no others */
            toSign: {
                /** @description index of the input, from 0 */
                inputIndex: number;
                /** @description the address that names its script */
                address: string | null;
                /** @description the script whose key signs it, hex */
                scriptHex: string;
                /**
                 * @description what the signature commits to
                 * @enum {string}
                 */
                sighash: "ALL";
            }[];
            /** @description network fee, sats */
            networkFeeSats: string;
            /** @description fee rate, sat/vB */
            feeRateSatsPerVb: string;
            /** @description estimated size of the signed transaction, vB */
            estimatedVbytes: string;
            /** @description change, sats */
            changeSats: string;
            /** @description tip of the node, and height of the index, that it was made at */
            checkpoint: {
                /** @description height of the block; the first block has 0 */
                height: number;
                /** @description hash of the block, as explorers show it */
                hash: string;
                /** @description height of the asset index */
                assetIndexHeight: number;
            };
            /**
             * Format: date-time
             * @description when it was made (RFC 3339)
             */
            observedAt: string;
            /** @description what the owner should know */
            notices: components["schemas"]["Notice"][];
        };
        TransactionProof: {
            /** @description id of the transaction */
            txid: string;
            /** @description the block that contains it */
            block: components["schemas"]["BlockRef"];
            /** @description the transaction without witnesses, hex: its txid is made from it */
            transaction: string;
            /** @description a `merkleblock` of BIP 37, hex, as `gettxoutproof` of Bitcoin Core gives it */
            proof: string;
        };
        TxOut: {
            /** @description value of the output, sats */
            valueSats: string;
            /** @description the script that locks the output, hex */
            scriptHex: string;
        };
        Validation: {
            /**
             * Format: date-time
             * @description when node and index last confirmed the order, or its output was last watched without a gap (RFC 3339)
             */
            checkedAt: string;
            /**
             * @description what the full node said of the offered output
             * @enum {string}
             */
            nodeStatus: "UNCONFIGURED" | "READY" | "UNAVAILABLE" | "OUTPOINT_MISSING" | "OUTPOINT_SPENT";
            /**
             * @description what the asset index said of the claimed asset
             * @enum {string}
             */
            assetStatus: "NOT_REQUESTED" | "UNCONFIGURED" | "VERIFIED" | "MISMATCH" | "UNAVAILABLE";
            /** @description the tip of the full node when it was asked */
            nodeTip?: components["schemas"]["BlockRef"];
            /** @description codes of why the order has its state: see docs/order-states.md */
            reasons: string[];
        };
        /** @description The pipelines have not signed the same checkpoint. This is a state, not an error: keep the last verified value with its age, retry after a few seconds, and do not use the direct answer instead. */
        VerificationUnavailable: {
            /**
             * @description always the same, whatever the cause
             * @constant
             */
            status: "verification_unavailable";
            /**
             * @description always the same, whatever the cause
             * @constant
             */
            error: "verification_unavailable";
        };
        VerificationView: {
            /**
             * Format: date-time
             * @description when the order was last verified (RFC 3339)
             */
            checkedAt: string;
            /** @description age of that verification, seconds */
            ageSeconds: number;
            /** @description the age up to which a verification counts as fresh, seconds */
            maxAgeSeconds: number;
            /** @description whether the age is above that */
            stale: boolean;
        };
        VerifiedAgreement: {
            /** @description height of the checkpoint */
            height: number;
            /** @description hash of its block */
            blockHash: string;
            /** @description hash of the checkpoint that both have signed */
            checkpointHash: string;
            /** @description ids of the keys that signed it, by pipeline */
            keyIds: {
                /** @description key of pipeline A */
                A: string;
                /** @description key of pipeline B */
                B: string;
            };
        };
        Withdrawal: {
            /**
             * Format: date-time
             * @description when the order was withdrawn (RFC 3339)
             */
            withdrawnAt: string;
            /** @description what the seller or the operator wrote; untrusted */
            reason?: string;
        };
        WithheldChange: {
            /**
             * @description why its record is withheld: its PSBT is not released, it has words of an operator, or it is too large
             * @enum {string}
             */
            withheld: "artifact" | "operator" | "size";
            /** @description number of the change among the changes of its order, from 1 */
            seq: number;
            /**
             * @description `transition`: the state changed; `verified`: only its proof; `noted`: anything else
             * @enum {string}
             */
            kind: "transition" | "verified" | "noted";
            /** @description the state before; null: the first change */
            fromState: components["schemas"]["OrderState"] | null;
            /** @description the state after */
            toState: components["schemas"]["OrderState"];
            /** @description code of why it changed */
            reason: string;
            /** @description who caused it */
            actor: string;
            /**
             * Format: date-time
             * @description when the change was observed (RFC 3339)
             */
            observedAt: string;
            /** @description the answers that it was decided by; null: no authority was asked, or it is too long for the bundle */
            evidence: components["schemas"]["Evidence"] | null;
            /** @description hash of the order’s previous change; null: the first */
            prevHash: string | null;
            /** @description hash of the withheld record */
            hash: string;
        };
        BuildAskRequest: {
            /** @description the market, a catalog id */
            protocolId: string;
            /** @description name of the token or collection */
            token: string;
            /** @description what the seller is paid, sats; the value of the offered output goes to the buyer */
            quotedPriceSats: string | number;
            /** @description address that is paid */
            sellerPaymentAddress: string;
            /** @description the inscription that is sold; required if the market sells inscriptions */
            asset?: {
                /** @description the inscription, `<reveal txid>i<index>` */
                inscriptionId: string;
                /** @description the output that holds it */
                outpoint: {
                    /** @description id of the transaction that made the output */
                    txid: string;
                    /** @description index of the output in its transaction, from 0 */
                    vout: number;
                };
                /** @description number of the inscription, read from the asset index during verification */
                inscriptionNumber?: number;
            };
            /** @description the output that is sold; required if the market sells outputs */
            outpoint?: {
                /** @description id of the transaction that made the output */
                txid: string;
                /** @description index of the output in its transaction, from 0 */
                vout: number;
            };
        };
        CheckOutputsRequest: {
            /** @description the outputs to check: 1 to 100, each once */
            outpoints: {
                /** @description id of the transaction that made the output */
                txid: string;
                /** @description index of the output in its transaction, from 0 */
                vout: number;
            }[];
        };
        ImportRequest: {
            /** @description the signed PSBT, base64 or hex */
            psbt: string;
            /**
             * @description the kind of source; `direct-import` by default
             * @enum {string}
             */
            source?: "portable-nostr802" | "asset-offers" | "direct-import";
            /** @description name of the source, of your choice; shown as untrusted */
            sourceId?: string;
            /** @description the asset that the order is for; a claim, which node and index must prove */
            asset?: {
                /** @description the inscription, `<reveal txid>i<index>` */
                inscriptionId: string;
                /** @description the output that holds it */
                outpoint: {
                    /** @description id of the transaction that made the output */
                    txid: string;
                    /** @description index of the output in its transaction, from 0 */
                    vout: number;
                };
                /** @description number of the inscription, read from the asset index during verification */
                inscriptionNumber?: number;
            };
            /** @description price that the source gave, sats; kept as evidence */
            claimedPriceSats?: string | number;
            /** @description the market, a catalog id; shown as untrusted */
            protocolId?: string;
            /** @description name of the token or collection; shown as untrusted */
            token?: string;
            /**
             * @description side that the sender claims; the signatures decide
             * @enum {string}
             */
            side?: "ASK" | "BID";
            /** @description price that the sender claims, sats; the signatures decide */
            quotedPriceSats?: string | number;
        };
        InspectRequest: {
            /** @description the signed PSBT, base64 or hex */
            psbt?: string;
            /** @description a signed transaction, hex */
            transaction?: string;
            /** @description a Nostr event of kind 802, whose tags are its claims */
            event?: components["schemas"]["NostrEvent"];
            /**
             * @description the kind of source; `direct-import` by default
             * @enum {string}
             */
            source?: "portable-nostr802" | "asset-offers" | "direct-import";
            /** @description name of the source, of your choice; shown as untrusted */
            sourceId?: string;
            /** @description the asset that the order is for; a claim, which node and index must prove */
            asset?: {
                /** @description the inscription, `<reveal txid>i<index>` */
                inscriptionId: string;
                /** @description the output that holds it */
                outpoint: {
                    /** @description id of the transaction that made the output */
                    txid: string;
                    /** @description index of the output in its transaction, from 0 */
                    vout: number;
                };
                /** @description number of the inscription, read from the asset index during verification */
                inscriptionNumber?: number;
            };
            /** @description price that the source gave, sats; kept as evidence */
            claimedPriceSats?: string | number;
            /** @description the market, a catalog id; shown as untrusted */
            protocolId?: string;
            /** @description name of the token or collection; shown as untrusted */
            token?: string;
            /**
             * @description side that the sender claims; the signatures decide
             * @enum {string}
             */
            side?: "ASK" | "BID";
            /** @description price that the sender claims, sats; the signatures decide */
            quotedPriceSats?: string | number;
        } & (unknown | unknown | unknown);
        NostrEvent: {
            /** @description id of the event (NIP-01) */
            id: string;
            /** @description x-only public key that signed it */
            pubkey: string;
            /** @description when it was made, Unix seconds */
            created_at: number;
            /** @description kind of the event: 802 */
            kind: number;
            /** @description tags of the event: network, side, inscription, output, price, market */
            tags: string[][];
            /** @description the signed PSBT, base64 */
            content: string;
            /** @description signature of the id (BIP 340) */
            sig: string;
        };
        OwnershipProof: {
            /** @description address of the offered output, as the challenge has it */
            address?: string;
            /** @description the signature under the challenge (BIP-322), base64 */
            signature: string;
            /** @description why it is withdrawn: shown to all with the order */
            reason?: string;
        };
        PaddingsRequest: {
            /** @description the buyer’s address for paddings and change: the one that a quote names */
            paymentAddress: string;
            /** @description outputs of the buyer that pay, spent in this order, as few as are enough */
            fundingUtxos: {
                /** @description id of the transaction that made the output */
                txid: string;
                /** @description index of the output in its transaction, from 0 */
                vout: number;
            }[];
            /** @description number of paddings; by default 2, which a purchase takes */
            count?: number;
            /** @description value of each padding, sats; by default 600 */
            sats?: string;
            /** @description fee rate, sat/vB with at most three decimals; by default the estimate of the node */
            feeRateSatsPerVb?: string | number;
        };
        PreflightRequest: {
            /** @description the final transaction, hex */
            finalTxHex?: string;
            /** @description the PSBT of the quote, signed by the buyer, base64 or hex */
            signedPsbt?: string;
        } & (unknown | unknown);
        PublishAskRequest: {
            /** @description the PSBT of the build, signed by the seller’s wallet, base64 or hex */
            psbt: string;
        };
        QuoteRequest: {
            /** @description the buyer’s address for the asset; not the payment address */
            assetReceiveAddress: string;
            /** @description the buyer’s address for change and padding */
            paymentAddress: string;
            /** @description two small outputs of the buyer, which go ahead of the offered one so that the asset reaches the buyer */
            paddingUtxos: {
                /** @description id of the transaction that made the output */
                txid: string;
                /** @description index of the output in its transaction, from 0 */
                vout: number;
            }[];
            /** @description outputs of the buyer that pay; value and script are read from the node */
            fundingUtxos: {
                /** @description id of the transaction that made the output */
                txid: string;
                /** @description index of the output in its transaction, from 0 */
                vout: number;
            }[];
            /** @description fee rate, sat/vB with at most three decimals; by default the estimate of the node */
            feeRateSatsPerVb?: string | number;
        };
        SelfSpendRequest: {
            /** @description address that receives the output */
            destinationAddress: string;
            /** @description fee rate, sat/vB with at most three decimals; by default the estimate of the node */
            feeRateSatsPerVb?: string | number;
            /** @description outputs that pay the fee; without any, the fee is taken from the output */
            fundingUtxos?: {
                /** @description id of the transaction that made the output */
                txid: string;
                /** @description index of the output in its transaction, from 0 */
                vout: number;
            }[];
            /** @description address of their change; by default the destination */
            changeAddress?: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type Actionability = components['schemas']['Actionability'];
export type ActivityEntry = components['schemas']['ActivityEntry'];
export type ActivityPage = components['schemas']['ActivityPage'];
export type AddressCarriers = components['schemas']['AddressCarriers'];
export type AgreementEnvelope = components['schemas']['AgreementEnvelope'];
export type AssetClaim = components['schemas']['AssetClaim'];
export type Authorisation = components['schemas']['Authorisation'];
export type BatchLine = components['schemas']['BatchLine'];
export type BlockRef = components['schemas']['BlockRef'];
export type BuildAskResult = components['schemas']['BuildAskResult'];
export type BundledChange = components['schemas']['BundledChange'];
export type BundledOrder = components['schemas']['BundledOrder'];
export type Catalog = components['schemas']['Catalog'];
export type CheckedOutput = components['schemas']['CheckedOutput'];
export type ChangeRecord = components['schemas']['ChangeRecord'];
export type CheckpointTuple = components['schemas']['CheckpointTuple'];
export type Circle = components['schemas']['Circle'];
export type CircleSnapshot = components['schemas']['CircleSnapshot'];
export type CircleState = components['schemas']['CircleState'];
export type DisputeBundle = components['schemas']['DisputeBundle'];
export type Edge = components['schemas']['Edge'];
export type ErrorResponse = components['schemas']['ErrorResponse'];
export type ExposedOutput = components['schemas']['ExposedOutput'];
export type Exposure = components['schemas']['Exposure'];
export type Evidence = components['schemas']['Evidence'];
export type HealthReport = components['schemas']['HealthReport'];
export type IndexEvidence = components['schemas']['IndexEvidence'];
export type IndexProof = components['schemas']['IndexProof'];
export type InspectedVerdict = components['schemas']['InspectedVerdict'];
export type InspectionProblem = components['schemas']['InspectionProblem'];
export type InspectResult = components['schemas']['InspectResult'];
export type InternalError = components['schemas']['InternalError'];
export type Lineage = components['schemas']['Lineage'];
export type ListingReadiness = components['schemas']['ListingReadiness'];
export type LowestPrice = components['schemas']['LowestPrice'];
export type Member = components['schemas']['Member'];
export type MessageResponse = components['schemas']['MessageResponse'];
export type Network = components['schemas']['Network'];
export type NodeEvidence = components['schemas']['NodeEvidence'];
export type NostrEnvelope = components['schemas']['NostrEnvelope'];
export type NotBefore = components['schemas']['NotBefore'];
export type Notice = components['schemas']['Notice'];
export type Offer = components['schemas']['Offer'];
export type OfferClaim = components['schemas']['OfferClaim'];
export type OrderArtifact = components['schemas']['OrderArtifact'];
export type OrderClass = components['schemas']['OrderClass'];
export type OrderFacets = components['schemas']['OrderFacets'];
export type OrderPage = components['schemas']['OrderPage'];
export type OrderState = components['schemas']['OrderState'];
export type OrderSummary = components['schemas']['OrderSummary'];
export type OrderVersion = components['schemas']['OrderVersion'];
export type OrderVersionPage = components['schemas']['OrderVersionPage'];
export type Outpoint = components['schemas']['Outpoint'];
export type AddressOutputs = components['schemas']['AddressOutputs'];
export type OutputsChecked = components['schemas']['OutputsChecked'];
export type OutputTrouble = components['schemas']['OutputTrouble'];
export type OutputEvidence = components['schemas']['OutputEvidence'];
export type OwnershipChallenge = components['schemas']['OwnershipChallenge'];
export type PaidBid = components['schemas']['PaidBid'];
export type PairingCarrier = components['schemas']['PairingCarrier'];
export type PairingEvent = components['schemas']['PairingEvent'];
export type PairingObject = components['schemas']['PairingObject'];
export type PairingProof = components['schemas']['PairingProof'];
export type PairingTransaction = components['schemas']['PairingTransaction'];
export type PreflightResult = components['schemas']['PreflightResult'];
export type ProbeReport = components['schemas']['ProbeReport'];
export type ProblemPlace = components['schemas']['ProblemPlace'];
export type ReadinessReport = components['schemas']['ReadinessReport'];
export type ReadinessSnapshot = components['schemas']['ReadinessSnapshot'];
export type ProtocolContract = components['schemas']['ProtocolContract'];
export type ProtocolTemplate = components['schemas']['ProtocolTemplate'];
export type PsbtInspection = components['schemas']['PsbtInspection'];
export type PurchaseFlow = components['schemas']['PurchaseFlow'];
export type FeeEstimates = components['schemas']['FeeEstimates'];
export type Quote = components['schemas']['Quote'];
export type Safety = components['schemas']['Safety'];
export type SearchResult = components['schemas']['SearchResult'];
export type SearchResults = components['schemas']['SearchResults'];
export type SelfSpend = components['schemas']['SelfSpend'];
export type Settlement = components['schemas']['Settlement'];
export type Shard = components['schemas']['Shard'];
export type SignatureStatus = components['schemas']['SignatureStatus'];
export type Source = components['schemas']['Source'];
export type SourceEvidence = components['schemas']['SourceEvidence'];
export type Spend = components['schemas']['Spend'];
export type StreamChange = components['schemas']['StreamChange'];
export type StreamEnd = components['schemas']['StreamEnd'];
export type StreamHeartbeat = components['schemas']['StreamHeartbeat'];
export type StreamSnapshot = components['schemas']['StreamSnapshot'];
export type Takeable = components['schemas']['Takeable'];
export type TransactionPlan = components['schemas']['TransactionPlan'];
export type TransactionProof = components['schemas']['TransactionProof'];
export type TxOut = components['schemas']['TxOut'];
export type Validation = components['schemas']['Validation'];
export type VerificationUnavailable = components['schemas']['VerificationUnavailable'];
export type VerificationView = components['schemas']['VerificationView'];
export type VerifiedAgreement = components['schemas']['VerifiedAgreement'];
export type Withdrawal = components['schemas']['Withdrawal'];
export type WithheldChange = components['schemas']['WithheldChange'];
export type BuildAskRequest = components['schemas']['BuildAskRequest'];
export type CheckOutputsRequest = components['schemas']['CheckOutputsRequest'];
export type ImportRequest = components['schemas']['ImportRequest'];
export type InspectRequest = components['schemas']['InspectRequest'];
export type NostrEvent = components['schemas']['NostrEvent'];
export type OwnershipProof = components['schemas']['OwnershipProof'];
export type PaddingsRequest = components['schemas']['PaddingsRequest'];
export type PreflightRequest = components['schemas']['PreflightRequest'];
export type PublishAskRequest = components['schemas']['PublishAskRequest'];
export type QuoteRequest = components['schemas']['QuoteRequest'];
export type SelfSpendRequest = components['schemas']['SelfSpendRequest'];
export type $defs = Record<string, never>;
export interface operations {
    readIndex: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description name of the contract
                         * @constant
                         */
                        name: "Market";
                        /** @description path of the reference, for people */
                        docs: string;
                        /** @description path of the OpenAPI document, for programs */
                        openapi: string;
                        /** @description the operations below /api/market, but those for operators */
                        operations: {
                            /** @description name of the operation, as in the OpenAPI document */
                            operationId: string;
                            /** @description GET or POST */
                            method: string;
                            /** @description path, with its parameters in braces */
                            path: string;
                            /** @description what it is for */
                            summary: string;
                            /** @description path of the page that describes it */
                            docs: string;
                        }[];
                    };
                };
            };
        };
    };
    readHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthReport"];
                };
            };
        };
    };
    readProtocol: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProtocolContract"];
                };
            };
        };
    };
    readCatalog: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Catalog"];
                };
            };
        };
    };
    buildAsk: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BuildAskRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BuildAskResult"];
                };
            };
        };
    };
    publishAsk: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PublishAskRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderSummary"];
                };
            };
        };
    };
    importOrder: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderSummary"];
                };
            };
        };
    };
    importPortableEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NostrEvent"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderSummary"];
                };
            };
        };
    };
    importBatch: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-ndjson": components["schemas"]["ImportRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["BatchLine"];
                };
            };
        };
    };
    inspectOrder: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InspectRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InspectResult"];
                };
            };
        };
    };
    listOrders: {
        parameters: {
            query?: {
                /** @description one catalog id; an alias means its target. An order without a market that was proved to hold an inscription is listed under `inscriptions` */
                protocol?: string;
                /** @description catalog ids, comma separated: at most 64 */
                protocols?: string;
                /** @description a catalog group: every market in it */
                group?: string;
                /** @description exact, case-insensitive */
                token?: string;
                /** @description any source of the order */
                source?: "portable-nostr802" | "asset-offers" | "direct-import";
                /** @description orders in this state; withdrawn or rejected ones are listed where this names their state */
                state?: "PENDING_NODE" | "PENDING_ASSET" | "LIVE" | "MEMPOOL_CONFLICTED" | "SPENT" | "SETTLED" | "REJECTED" | "WITHDRAWN";
                /** @description any of these states, comma separated; withdrawn or rejected orders are listed where their state is among them */
                states?: string;
                /** @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review */
                actionability?: "REVIEW_ONLY" | "HANDOFF_READY" | "BLOCKED";
                /** @description orders of this safety */
                safety?: "PUBLIC_RACEABLE" | "TARGETED_REVIEW" | "UNSUPPORTED";
                /** @description orders of this class */
                orderClass?: "ASK_ANYONECANPAY" | "BID_FULLY_FUNDED" | "UNSUPPORTED";
                /** @description orders whose signatures have this status */
                signature?: "NONE" | "VALID" | "INVALID" | "UNAVAILABLE";
                /** @description ASK: the seller signed; BID: the buyer signed */
                side?: "ASK" | "BID";
                /** @description the script of the offered output in hex, or its address */
                seller?: string;
                /** @description orders for this inscription */
                assetInscriptionId?: string;
                /** @description orders for an asset in this output */
                assetOutpoint?: string;
                /** @description the lowest price in sats, inclusive; leaves out orders without a price */
                priceMin?: string;
                /** @description the highest price in sats, inclusive; leaves out orders without a price */
                priceMax?: string;
                /** @description orders whose `updatedAt` is this time or later; that they become stale is no update (RFC 3339) */
                updatedSince?: string;
                /** @description a prefix of an order id, an inscription id or number, the txid of the output or of what spends it, a seller’s address, a market or a word of the token */
                search?: string;
                /** @description `validation_newest` sorts by the last time the authorities were queried for the order itself; the displayed `checkedAt` can be later while its output is watched without a gap */
                sort?: "newest" | "oldest" | "price_asc" | "price_desc" | "token_asc" | "protocol_asc" | "validation_newest";
                /** @description include withdrawn and rejected orders; not needed where `state` or `states` names theirs. No other filter adds to a list */
                includeWithdrawn?: "true" | "false";
                /** @description entries per page: 1 to 200, 50 by default */
                limit?: string;
                /** @description `nextCursor` of the previous page; valid only with the same filters and sort */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderPage"];
                };
            };
        };
    };
    countFacets: {
        parameters: {
            query?: {
                /** @description one catalog id; an alias means its target. An order without a market that was proved to hold an inscription is listed under `inscriptions` */
                protocol?: string;
                /** @description catalog ids, comma separated: at most 64 */
                protocols?: string;
                /** @description a catalog group: every market in it */
                group?: string;
                /** @description exact, case-insensitive */
                token?: string;
                /** @description any source of the order */
                source?: "portable-nostr802" | "asset-offers" | "direct-import";
                /** @description orders in this state; withdrawn or rejected ones are listed where this names their state */
                state?: "PENDING_NODE" | "PENDING_ASSET" | "LIVE" | "MEMPOOL_CONFLICTED" | "SPENT" | "SETTLED" | "REJECTED" | "WITHDRAWN";
                /** @description any of these states, comma separated; withdrawn or rejected orders are listed where their state is among them */
                states?: string;
                /** @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review */
                actionability?: "REVIEW_ONLY" | "HANDOFF_READY" | "BLOCKED";
                /** @description orders of this safety */
                safety?: "PUBLIC_RACEABLE" | "TARGETED_REVIEW" | "UNSUPPORTED";
                /** @description orders of this class */
                orderClass?: "ASK_ANYONECANPAY" | "BID_FULLY_FUNDED" | "UNSUPPORTED";
                /** @description orders whose signatures have this status */
                signature?: "NONE" | "VALID" | "INVALID" | "UNAVAILABLE";
                /** @description ASK: the seller signed; BID: the buyer signed */
                side?: "ASK" | "BID";
                /** @description the script of the offered output in hex, or its address */
                seller?: string;
                /** @description orders for this inscription */
                assetInscriptionId?: string;
                /** @description orders for an asset in this output */
                assetOutpoint?: string;
                /** @description the lowest price in sats, inclusive; leaves out orders without a price */
                priceMin?: string;
                /** @description the highest price in sats, inclusive; leaves out orders without a price */
                priceMax?: string;
                /** @description orders whose `updatedAt` is this time or later; that they become stale is no update (RFC 3339) */
                updatedSince?: string;
                /** @description a prefix of an order id, an inscription id or number, the txid of the output or of what spends it, a seller’s address, a market or a word of the token */
                search?: string;
                /** @description include withdrawn and rejected orders; not needed where `state` or `states` names theirs. No other filter adds to a list */
                includeWithdrawn?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderFacets"];
                };
            };
        };
    };
    listOrdersOfAddress: {
        parameters: {
            query?: {
                /** @description one catalog id; an alias means its target. An order without a market that was proved to hold an inscription is listed under `inscriptions` */
                protocol?: string;
                /** @description catalog ids, comma separated: at most 64 */
                protocols?: string;
                /** @description a catalog group: every market in it */
                group?: string;
                /** @description exact, case-insensitive */
                token?: string;
                /** @description any source of the order */
                source?: "portable-nostr802" | "asset-offers" | "direct-import";
                /** @description orders in this state; withdrawn or rejected ones are listed where this names their state */
                state?: "PENDING_NODE" | "PENDING_ASSET" | "LIVE" | "MEMPOOL_CONFLICTED" | "SPENT" | "SETTLED" | "REJECTED" | "WITHDRAWN";
                /** @description any of these states, comma separated; withdrawn or rejected orders are listed where their state is among them */
                states?: string;
                /** @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review */
                actionability?: "REVIEW_ONLY" | "HANDOFF_READY" | "BLOCKED";
                /** @description orders of this safety */
                safety?: "PUBLIC_RACEABLE" | "TARGETED_REVIEW" | "UNSUPPORTED";
                /** @description orders of this class */
                orderClass?: "ASK_ANYONECANPAY" | "BID_FULLY_FUNDED" | "UNSUPPORTED";
                /** @description orders whose signatures have this status */
                signature?: "NONE" | "VALID" | "INVALID" | "UNAVAILABLE";
                /** @description ASK: the seller signed; BID: the buyer signed */
                side?: "ASK" | "BID";
                /** @description orders for this inscription */
                assetInscriptionId?: string;
                /** @description orders for an asset in this output */
                assetOutpoint?: string;
                /** @description the lowest price in sats, inclusive; leaves out orders without a price */
                priceMin?: string;
                /** @description the highest price in sats, inclusive; leaves out orders without a price */
                priceMax?: string;
                /** @description orders whose `updatedAt` is this time or later; that they become stale is no update (RFC 3339) */
                updatedSince?: string;
                /** @description a prefix of an order id, an inscription id or number, the txid of the output or of what spends it, a seller’s address, a market or a word of the token */
                search?: string;
                /** @description `validation_newest` sorts by the last time the authorities were queried for the order itself; the displayed `checkedAt` can be later while its output is watched without a gap */
                sort?: "newest" | "oldest" | "price_asc" | "price_desc" | "token_asc" | "protocol_asc" | "validation_newest";
                /** @description include withdrawn and rejected orders; not needed where `state` or `states` names theirs. No other filter adds to a list */
                includeWithdrawn?: "true" | "false";
                /** @description entries per page: 1 to 200, 50 by default */
                limit?: string;
                /** @description `nextCursor` of the previous page; valid only with the same filters and sort */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description the address of a seller’s output */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderPage"];
                };
            };
        };
    };
    readOrder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description order id: 64 hex digits in either case */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderSummary"];
                };
            };
        };
    };
    readArtifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description order id: 64 hex digits in either case */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderArtifact"];
                };
            };
        };
    };
    readNostrEnvelope: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description order id: 64 hex digits in either case */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NostrEnvelope"];
                };
            };
        };
    };
    revalidateOrder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description order id: 64 hex digits in either case */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never> | null;
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderSummary"];
                };
            };
        };
    };
    readExposure: {
        parameters: {
            query?: {
                /** @description entries per page: 1 to 200, 50 by default */
                limit?: string;
                /** @description `nextCursor` of the previous page; valid only with the same filters and sort */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description an output, `txid:vout`, the txid in hex in either case */
                outpoint: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Exposure"];
                };
            };
        };
    };
    buildSelfSpend: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description an output, `txid:vout`, the txid in hex in either case */
                outpoint: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SelfSpendRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SelfSpend"];
                };
            };
        };
    };
    readAddressOutputs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description an address of this network */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddressOutputs"];
                };
            };
        };
    };
    checkOutputs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckOutputsRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OutputsChecked"];
                };
            };
        };
    };
    readContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description the inscription, `<reveal txid>i<index>` */
                inscriptionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": string;
                };
            };
            /** @description The range that was asked for */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain; charset=utf-8": string;
                };
            };
        };
    };
    readFees: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeeEstimates"];
                };
            };
        };
    };
    quoteOrder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description order id: 64 hex digits in either case */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuoteRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quote"];
                };
            };
        };
    };
    buildPaddings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaddingsRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransactionPlan"];
                };
            };
        };
    };
    preflightOrder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description order id: 64 hex digits in either case */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreflightRequest"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreflightResult"];
                };
            };
        };
    };
    readOwnershipChallenge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description order id: 64 hex digits in either case */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnershipChallenge"];
                };
            };
        };
    };
    withdrawOrder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description order id: 64 hex digits in either case */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OwnershipProof"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderSummary"];
                };
            };
        };
    };
    listHiddenOrders: {
        parameters: {
            query?: {
                /** @description entries per page: 1 to 200, 50 by default */
                limit?: string;
                /** @description `nextCursor` of the previous page; valid only with the same filters and sort */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderPage"];
                };
            };
        };
    };
    readOrderAsOperator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description order id: 64 hex digits in either case */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderSummary"];
                };
            };
        };
    };
    withdrawOrderAsOperator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description order id: 64 hex digits in either case */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description why it is withdrawn: shown to all with the order */
                    reason?: string;
                } | null;
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderSummary"];
                };
            };
        };
    };
    hideOrder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description order id: 64 hex digits in either case */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description why, for operators alone */
                    reason?: string;
                } | null;
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderSummary"];
                };
            };
        };
    };
    unhideOrder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description order id: 64 hex digits in either case */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description why, for operators alone */
                    reason?: string;
                } | null;
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderSummary"];
                };
            };
        };
    };
    readOperations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description of the process that answered */
                        build: {
                            /** @description of the release; `unknown`: started from its sources */
                            version: string;
                            /** @description that it was built from, `-dirty` if files were changed; `unknown`: not stated */
                            commit: string;
                            /** @description version of Node.js that runs it */
                            node: string;
                        };
                        /** @description the process that answered: uptime, rates, disk */
                        process: {
                            /**
                             * @description `all`: the whole service is one process; `gateway`: other processes do the rest
                             * @enum {string}
                             */
                            role: "all" | "gateway";
                            /**
                             * Format: date-time
                             * @description when it started (RFC 3339)
                             */
                            startedAt: string;
                            /** @description how long it runs */
                            uptimeSeconds: number;
                            /** @description answers over HTTP, in the last minute; null: not known yet */
                            requestsPerSecond: number | null;
                            /** @description imports that were answered with an order, in the last minute; null: not known yet */
                            importsPerSecond: number | null;
                            /** @description null: this process has no store on its disk */
                            disk: {
                                /** @description free on the disk of DATA_DIR */
                                freeBytes: number;
                                /** @description size of that disk */
                                sizeBytes: number;
                                /** @description what the store in DATA_DIR takes of it */
                                storeBytes: number;
                                /** @description how fast the disk fills, whatever fills it, over the last day or since the start; null: known after an hour */
                                bytesPerDay: number | null;
                                /** @description until the disk is full at that pace; null: not known, or it does not fill */
                                daysLeft: number | null;
                            } | null;
                        };
                        /** @description of the log, by all processes */
                        rates: {
                            /** @description records of the inbox, in the last minute */
                            inboxPerSecond: number;
                            /** @description changes of orders and outcomes of commands, in the last minute */
                            lifecyclePerSecond: number;
                        };
                        /** @description how far the readers of each partition are */
                        partitions: {
                            /** @description number of the partition, from 0 */
                            partition: number;
                            /** @description the order actors, reading the inbox */
                            actors: {
                                /** @description its place; null: unavailable */
                                at: number | null;
                                /** @description the end of the partition */
                                end: number;
                                /** @description records still to be read; null: unavailable */
                                left: number | null;
                            };
                            /** @description the order views, reading the lifecycle */
                            views: {
                                /** @description its place; null: unavailable */
                                at: number | null;
                                /** @description the end of the partition */
                                end: number;
                                /** @description records still to be read; null: unavailable */
                                left: number | null;
                            };
                            /** @description the history, reading the lifecycle */
                            history: {
                                /** @description its place; null: unavailable */
                                at: number | null;
                                /** @description the end of the partition */
                                end: number;
                                /** @description records still to be read; null: unavailable */
                                left: number | null;
                            };
                            /** @description orders verified until then still are; null: none has covered the partition yet */
                            watermark: {
                                /**
                                 * Format: date-time
                                 * @description when it was written (RFC 3339)
                                 */
                                at: string;
                                /** @description height of the node then */
                                tipHeight: number;
                                /** @description null: the index had no usable answer */
                                indexHeight: number | null;
                                /**
                                 * @description state of the asset index then
                                 * @enum {string}
                                 */
                                indexStatus: "ready" | "unconfigured" | "unreachable" | "behind" | "reorged";
                            } | null;
                        }[];
                        /** @description null: another process reads them, and its metrics tell */
                        feeds: {
                            /**
                             * @description as in `sources` of an order
                             * @enum {string}
                             */
                            feed: "portable-nostr802" | "asset-offers";
                            /** @description its address, without a query */
                            from: string;
                            /**
                             * @description what it is doing
                             * @enum {string}
                             */
                            state: "connecting" | "catching up" | "following" | "paused";
                            /** @description why it is paused; null: it is not */
                            trouble: string | null;
                            /** @description the trouble in the words of the other side; null: none */
                            detail: string | null;
                        }[] | null;
                        /** @description inbox records that no worker could process: the newest 50 of each partition */
                        deadLetters: {
                            /** @description number of the partition, from 0 */
                            partition: number;
                            /** @description of the record, in the inbox */
                            offset: number;
                            /** @description one, or one for each order that could not take it */
                            reasons: string[];
                            /** @description when it was tried again; null: it was not (RFC 3339) */
                            retriedAt: string | null;
                        }[];
                        /** @description the newest 100 acts of operators at the gateway that answered, since its start */
                        acts: {
                            /**
                             * Format: date-time
                             * @description when it was done or refused (RFC 3339)
                             */
                            at: string;
                            /** @description the name of the operator’s token */
                            operator: string;
                            /** @description what was done, or asked for where it was refused */
                            act: string;
                            /** @description what it concerned */
                            about: string;
                            /** @description code of the refusal, or `failed`; null: it was done */
                            refused: string | null;
                        }[];
                    };
                };
            };
        };
    };
    readDeadLetter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description number of the partition, from 0 */
                partition: string;
                /** @description of the record, in the inbox */
                offset: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description number of the partition, from 0 */
                        partition: number;
                        /** @description of the record, in the inbox */
                        offset: number;
                        /** @description one, or one for each order that could not take it */
                        reasons: string[];
                        /** @description when it was tried again; null: it was not (RFC 3339) */
                        retriedAt: string | null;
                        /** @description as the inbox still has it, else as the letter has it: the beginning of a large one */
                        record: unknown;
                        /** @description false: `record` is the letter’s, the inbox no longer has it */
                        isOriginal: boolean;
                    };
                };
            };
        };
    };
    retryDeadLetters: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description up to 100 places of the inbox, or `all`: each that was not retried yet */
                    places: "all" | {
                        /** @description number of the partition, from 0 */
                        partition: number;
                        /** @description of the record, in the inbox */
                        offset: number;
                    }[];
                    /** @description of `all` only those after this place: `next` of an answer */
                    after?: {
                        /** @description number of the partition, from 0 */
                        partition: number;
                        /** @description of the record, in the inbox */
                        offset: number;
                    };
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description in the order of the places */
                        retries: {
                            /** @description where the record is in the inbox */
                            place: {
                                /** @description number of the partition, from 0 */
                                partition: number;
                                /** @description of the record, in the inbox */
                                offset: number;
                            };
                            /** @description partition of the inbox that it was appended to; null: it was not */
                            toPartition: number | null;
                            /** @description why it was not retried; null: it was */
                            why: string | null;
                        }[];
                        /** @description the last place that this request came to, where others are left; null: none is left */
                        next: {
                            /** @description number of the partition, from 0 */
                            partition: number;
                            /** @description of the record, in the inbox */
                            offset: number;
                        } | null;
                    };
                };
            };
        };
    };
    listTopics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description every topic of the log */
                        topics: {
                            /**
                             * @description name of the topic, without the prefix of Kafka
                             * @enum {string}
                             */
                            topic: "chain.blocks" | "chain.mempool" | "index.updates" | "orders.inbox" | "orders.lifecycle" | "orders.snapshots" | "orders.dead" | "pairing.checkpoints" | "circles.states" | "webhooks.endpoints" | "customers.keys" | "orders.heads";
                            /** @description how many partitions it has */
                            partitions: number;
                            /** @description offsets from the oldest record to the newest, of all partitions: records, and holes between them */
                            offsets: number;
                            /** @description what its tables take on the disk; null: not known, as in Kafka */
                            bytes: number | null;
                            /**
                             * @description of old records: deleted by age, all but the last of a key, or kept
                             * @enum {string}
                             */
                            cleanUp: "delete" | "compact" | "keep";
                            /** @description age at which records are deleted; null: never by age */
                            keptForMs: number | null;
                        }[];
                    };
                };
            };
        };
    };
    listRecords: {
        parameters: {
            query?: {
                /** @description only this partition; all are read together by default, in the order of their times */
                partition?: string;
                /** @description only records with exactly this key, or exactly this text in a field: an order, an output, a kind */
                key?: string;
                /** @description where to start: a time in UTC, or an offset, the same in each partition; by default the end of the log */
                from?: string;
                /** @description `older`: the records before `from`; `newer`: those from it on */
                direction?: "older" | "newer";
                /** @description records per page: 1 to 100, 25 by default */
                limit?: string;
                /** @description `older` or `newer` of a page; `from` and `direction` do not count then */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description name of the topic */
                topic: "chain.blocks" | "chain.mempool" | "index.updates" | "orders.inbox" | "orders.lifecycle" | "orders.snapshots" | "orders.dead" | "pairing.checkpoints" | "circles.states" | "webhooks.endpoints" | "customers.keys" | "orders.heads";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description name of the topic
                         * @enum {string}
                         */
                        topic: "chain.blocks" | "chain.mempool" | "index.updates" | "orders.inbox" | "orders.lifecycle" | "orders.snapshots" | "orders.dead" | "pairing.checkpoints" | "circles.states" | "webhooks.endpoints" | "customers.keys" | "orders.heads";
                        /** @description the newest first, across partitions by their times */
                        records: {
                            /** @description number of the partition, from 0 */
                            partition: number;
                            /** @description of the record in its partition */
                            offset: number;
                            /**
                             * Format: date-time
                             * @description when it was appended (RFC 3339)
                             */
                            at: string;
                            /** @description its key; null: none, or withheld */
                            key: string | null;
                            /** @description name of the shape of the topic’s records, in src/schemas */
                            schema: string;
                            /** @description kind of record; `unreadable`: not of that shape */
                            kind: string;
                            /** @description what it says, in words */
                            what: string;
                            /** @description its headers; none in the embedded log */
                            headers: {
                                [key: string]: string;
                            };
                            /** @description its link in the chain of an order’s changes; null: it is no change */
                            chain: {
                                /** @description hash of the order’s change before; null: the first */
                                prevHash: string | null;
                                /** @description hash of this change */
                                hash: string;
                            } | null;
                            /** @description of its value as JSON */
                            bytes: number;
                            /** @description the record; where `isCut`, the beginning of its JSON */
                            value: unknown;
                            /** @description true: it is larger than 128 KiB */
                            isCut: boolean;
                        }[];
                        /** @description cursor to what is older; null: nothing is */
                        older: string | null;
                        /** @description cursor to what is newer; null: nothing was when it was read */
                        newer: string | null;
                        /** @description records that were looked at */
                        scanned: number;
                        /** @description the bound that ended the page before it was full: go on from the cursor; null: it is full, or nothing is left */
                        stopped: ("records" | "bytes" | "time") | null;
                    };
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description the webhooks, by name */
                        webhooks: {
                            /** @description name of the webhook */
                            name: string;
                            /** @description address that changes are posted to */
                            url: string;
                            /** @description which changes are sent */
                            filter: {
                                /** @description one catalog id; an alias means its target. An order without a market that was proved to hold an inscription is listed under `inscriptions` */
                                protocol?: string;
                                /** @description catalog ids, comma separated: at most 64 */
                                protocols?: string;
                                /** @description a catalog group: every market in it */
                                group?: string;
                                /** @description exact, case-insensitive */
                                token?: string;
                                /** @description any source of the order */
                                source?: components["schemas"]["Source"];
                                /** @description orders in this state; withdrawn or rejected ones are listed where this names their state */
                                state?: components["schemas"]["OrderState"];
                                /** @description any of these states */
                                states?: components["schemas"]["OrderState"][];
                                /** @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review */
                                actionability?: components["schemas"]["Actionability"];
                                /** @description orders of this safety */
                                safety?: components["schemas"]["Safety"];
                                /** @description orders of this class */
                                orderClass?: components["schemas"]["OrderClass"];
                                /** @description orders whose signatures have this status */
                                signature?: components["schemas"]["SignatureStatus"];
                                /**
                                 * @description ASK: the seller signed; BID: the buyer signed
                                 * @enum {string}
                                 */
                                side?: "ASK" | "BID";
                                /** @description the script of the offered output in hex, or its address */
                                seller?: string;
                                /** @description orders for this inscription */
                                assetInscriptionId?: string;
                                /** @description orders for an asset in this output */
                                assetOutpoint?: string;
                                /** @description the lowest price in sats, inclusive; leaves out orders without a price */
                                priceMin?: string;
                                /** @description the highest price in sats, inclusive; leaves out orders without a price */
                                priceMax?: string;
                                /**
                                 * Format: date-time
                                 * @description orders whose `updatedAt` is this time or later (RFC 3339)
                                 */
                                updatedSince?: string;
                                /** @description a prefix of an order id, an inscription id or number, the txid of the output or of what spends it, a seller’s address, a market or a word of the token */
                                search?: string;
                                /**
                                 * @description show withdrawn and rejected orders too, as `includeWithdrawn` of a list does
                                 * @default false
                                 */
                                includeWithdrawn: boolean;
                                /** @description only the changes of this order; excludes other filters */
                                orderId?: string;
                            };
                            /**
                             * @description those of the configuration are changed there
                             * @enum {string}
                             */
                            source: "operator" | "configuration";
                            /** @description whose it is; null: no customer’s */
                            customer: string | null;
                            /**
                             * Format: date-time
                             * @description when it was created (RFC 3339)
                             */
                            createdAt: string;
                            /** @description who paused it: an operator, or the endpoint with 410; null: it is not paused */
                            paused: ("operator" | "gone") | null;
                            /** @description secrets that sign now: two for a day after a rotation; null: the configuration has them */
                            secrets: number | null;
                            /** @description number of the current secret; null: the configuration has them */
                            secretVersion: number | null;
                            /** @description records of the log not yet looked at: 0 when all is delivered; in Kafka, the marker of each partition’s last transaction counts */
                            lag: number;
                            /** @description null: the last delivery of each partition succeeded (RFC 3339) */
                            failingSince: string | null;
                            /** @description why the last failed delivery failed */
                            failure: string | null;
                            /** @description dead letters that can be retried */
                            dead: number;
                        }[];
                    };
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description name of the webhook, of your choice */
                    name: string;
                    /** @description https, at a public address */
                    url: string;
                    /**
                     * @description which changes are sent
                     * @default {}
                     */
                    filter?: {
                        /** @description one catalog id; an alias means its target. An order without a market that was proved to hold an inscription is listed under `inscriptions` */
                        protocol?: string;
                        /** @description catalog ids, comma separated: at most 64 */
                        protocols?: string;
                        /** @description a catalog group: every market in it */
                        group?: string;
                        /** @description exact, case-insensitive */
                        token?: string;
                        /**
                         * @description any source of the order
                         * @enum {string}
                         */
                        source?: "portable-nostr802" | "asset-offers" | "direct-import";
                        /**
                         * @description orders in this state; withdrawn or rejected ones are listed where this names their state
                         * @enum {string}
                         */
                        state?: "PENDING_NODE" | "PENDING_ASSET" | "LIVE" | "MEMPOOL_CONFLICTED" | "SPENT" | "SETTLED" | "REJECTED" | "WITHDRAWN";
                        /** @description any of these states */
                        states?: ("PENDING_NODE" | "PENDING_ASSET" | "LIVE" | "MEMPOOL_CONFLICTED" | "SPENT" | "SETTLED" | "REJECTED" | "WITHDRAWN")[];
                        /**
                         * @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review
                         * @enum {string}
                         */
                        actionability?: "REVIEW_ONLY" | "HANDOFF_READY" | "BLOCKED";
                        /**
                         * @description orders of this safety
                         * @enum {string}
                         */
                        safety?: "PUBLIC_RACEABLE" | "TARGETED_REVIEW" | "UNSUPPORTED";
                        /**
                         * @description orders of this class
                         * @enum {string}
                         */
                        orderClass?: "ASK_ANYONECANPAY" | "BID_FULLY_FUNDED" | "UNSUPPORTED";
                        /**
                         * @description orders whose signatures have this status
                         * @enum {string}
                         */
                        signature?: "NONE" | "VALID" | "INVALID" | "UNAVAILABLE";
                        /**
                         * @description ASK: the seller signed; BID: the buyer signed
                         * @enum {string}
                         */
                        side?: "ASK" | "BID";
                        /** @description the script of the offered output in hex, or its address */
                        seller?: string;
                        /** @description orders for this inscription */
                        assetInscriptionId?: string;
                        /** @description orders for an asset in this output */
                        assetOutpoint?: string;
                        /** @description the lowest price in sats, inclusive; leaves out orders without a price */
                        priceMin?: string;
                        /** @description the highest price in sats, inclusive; leaves out orders without a price */
                        priceMax?: string;
                        /**
                         * Format: date-time
                         * @description orders whose `updatedAt` is this time or later (RFC 3339)
                         */
                        updatedSince?: string;
                        /** @description a prefix of an order id, an inscription id or number, the txid of the output or of what spends it, a seller’s address, a market or a word of the token */
                        search?: string;
                        /**
                         * @description show withdrawn and rejected orders too, as `includeWithdrawn` of a list does
                         * @default false
                         */
                        includeWithdrawn?: boolean;
                        /** @description only the changes of this order; excludes other filters */
                        orderId?: string;
                    };
                    /** @description name of the key whose customer gets it: its tier says how many */
                    customer?: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description name of the webhook */
                        name: string;
                        /** @description address that changes are posted to */
                        url: string;
                        /** @description which changes are sent */
                        filter: {
                            /** @description one catalog id; an alias means its target. An order without a market that was proved to hold an inscription is listed under `inscriptions` */
                            protocol?: string;
                            /** @description catalog ids, comma separated: at most 64 */
                            protocols?: string;
                            /** @description a catalog group: every market in it */
                            group?: string;
                            /** @description exact, case-insensitive */
                            token?: string;
                            /** @description any source of the order */
                            source?: components["schemas"]["Source"];
                            /** @description orders in this state; withdrawn or rejected ones are listed where this names their state */
                            state?: components["schemas"]["OrderState"];
                            /** @description any of these states */
                            states?: components["schemas"]["OrderState"][];
                            /** @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review */
                            actionability?: components["schemas"]["Actionability"];
                            /** @description orders of this safety */
                            safety?: components["schemas"]["Safety"];
                            /** @description orders of this class */
                            orderClass?: components["schemas"]["OrderClass"];
                            /** @description orders whose signatures have this status */
                            signature?: components["schemas"]["SignatureStatus"];
                            /**
                             * @description ASK: the seller signed; BID: the buyer signed
                             * @enum {string}
                             */
                            side?: "ASK" | "BID";
                            /** @description the script of the offered output in hex, or its address */
                            seller?: string;
                            /** @description orders for this inscription */
                            assetInscriptionId?: string;
                            /** @description orders for an asset in this output */
                            assetOutpoint?: string;
                            /** @description the lowest price in sats, inclusive; leaves out orders without a price */
                            priceMin?: string;
                            /** @description the highest price in sats, inclusive; leaves out orders without a price */
                            priceMax?: string;
                            /**
                             * Format: date-time
                             * @description orders whose `updatedAt` is this time or later (RFC 3339)
                             */
                            updatedSince?: string;
                            /** @description a prefix of an order id, an inscription id or number, the txid of the output or of what spends it, a seller’s address, a market or a word of the token */
                            search?: string;
                            /**
                             * @description show withdrawn and rejected orders too, as `includeWithdrawn` of a list does
                             * @default false
                             */
                            includeWithdrawn: boolean;
                            /** @description only the changes of this order; excludes other filters */
                            orderId?: string;
                        };
                        /**
                         * @description those of the configuration are changed there
                         * @enum {string}
                         */
                        source: "operator" | "configuration";
                        /** @description whose it is; null: no customer’s */
                        customer: string | null;
                        /**
                         * Format: date-time
                         * @description when it was created (RFC 3339)
                         */
                        createdAt: string;
                        /** @description who paused it: an operator, or the endpoint with 410; null: it is not paused */
                        paused: ("operator" | "gone") | null;
                        /** @description secrets that sign now: two for a day after a rotation; null: the configuration has them */
                        secrets: number | null;
                        /** @description number of the secret shown: in a repeat, of one that may have been replaced since */
                        secretVersion: number;
                        /** @description records of the log not yet looked at: 0 when all is delivered; in Kafka, the marker of each partition’s last transaction counts */
                        lag: number;
                        /** @description null: the last delivery of each partition succeeded (RFC 3339) */
                        failingSince: string | null;
                        /** @description why the last failed delivery failed */
                        failure: string | null;
                        /** @description dead letters that can be retried */
                        dead: number;
                        /** @description shown in this answer and its repeats alone; the key of the signatures */
                        secret: string;
                    };
                };
            };
        };
    };
    listWebhookDeadLetters: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the webhook */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description the changes that could not be delivered */
                        deadLetters: {
                            /** @description partition of the lifecycle log */
                            partition: number;
                            /** @description offset of the change in that partition */
                            offset: number;
                            /** @description the order that changed */
                            orderId: string;
                            /** @description number of the change among the changes of its order, from 1 */
                            seq: number;
                            /**
                             * Format: date-time
                             * @description when delivery was last tried (RFC 3339)
                             */
                            at: string;
                            /** @description why it failed */
                            reason: string;
                        }[];
                    };
                };
            };
        };
    };
    rotateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the webhook */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description the current secret that is to be replaced: a repeat shows the same new one */
                    secretVersion?: number;
                } | null;
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description name of the webhook */
                        name: string;
                        /** @description address that changes are posted to */
                        url: string;
                        /** @description which changes are sent */
                        filter: {
                            /** @description one catalog id; an alias means its target. An order without a market that was proved to hold an inscription is listed under `inscriptions` */
                            protocol?: string;
                            /** @description catalog ids, comma separated: at most 64 */
                            protocols?: string;
                            /** @description a catalog group: every market in it */
                            group?: string;
                            /** @description exact, case-insensitive */
                            token?: string;
                            /** @description any source of the order */
                            source?: components["schemas"]["Source"];
                            /** @description orders in this state; withdrawn or rejected ones are listed where this names their state */
                            state?: components["schemas"]["OrderState"];
                            /** @description any of these states */
                            states?: components["schemas"]["OrderState"][];
                            /** @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review */
                            actionability?: components["schemas"]["Actionability"];
                            /** @description orders of this safety */
                            safety?: components["schemas"]["Safety"];
                            /** @description orders of this class */
                            orderClass?: components["schemas"]["OrderClass"];
                            /** @description orders whose signatures have this status */
                            signature?: components["schemas"]["SignatureStatus"];
                            /**
                             * @description ASK: the seller signed; BID: the buyer signed
                             * @enum {string}
                             */
                            side?: "ASK" | "BID";
                            /** @description the script of the offered output in hex, or its address */
                            seller?: string;
                            /** @description orders for this inscription */
                            assetInscriptionId?: string;
                            /** @description orders for an asset in this output */
                            assetOutpoint?: string;
                            /** @description the lowest price in sats, inclusive; leaves out orders without a price */
                            priceMin?: string;
                            /** @description the highest price in sats, inclusive; leaves out orders without a price */
                            priceMax?: string;
                            /**
                             * Format: date-time
                             * @description orders whose `updatedAt` is this time or later (RFC 3339)
                             */
                            updatedSince?: string;
                            /** @description a prefix of an order id, an inscription id or number, the txid of the output or of what spends it, a seller’s address, a market or a word of the token */
                            search?: string;
                            /**
                             * @description show withdrawn and rejected orders too, as `includeWithdrawn` of a list does
                             * @default false
                             */
                            includeWithdrawn: boolean;
                            /** @description only the changes of this order; excludes other filters */
                            orderId?: string;
                        };
                        /**
                         * @description those of the configuration are changed there
                         * @enum {string}
                         */
                        source: "operator" | "configuration";
                        /** @description whose it is; null: no customer’s */
                        customer: string | null;
                        /**
                         * Format: date-time
                         * @description when it was created (RFC 3339)
                         */
                        createdAt: string;
                        /** @description who paused it: an operator, or the endpoint with 410; null: it is not paused */
                        paused: ("operator" | "gone") | null;
                        /** @description secrets that sign now: two for a day after a rotation; null: the configuration has them */
                        secrets: number | null;
                        /** @description number of the secret shown: in a repeat, of one that may have been replaced since */
                        secretVersion: number;
                        /** @description records of the log not yet looked at: 0 when all is delivered; in Kafka, the marker of each partition’s last transaction counts */
                        lag: number;
                        /** @description null: the last delivery of each partition succeeded (RFC 3339) */
                        failingSince: string | null;
                        /** @description why the last failed delivery failed */
                        failure: string | null;
                        /** @description dead letters that can be retried */
                        dead: number;
                        /** @description shown in this answer and its repeats alone; the key of the signatures */
                        secret: string;
                    };
                };
            };
        };
    };
    pauseWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the webhook */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never> | null;
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description name of the webhook */
                        name: string;
                        /** @description address that changes are posted to */
                        url: string;
                        /** @description which changes are sent */
                        filter: {
                            /** @description one catalog id; an alias means its target. An order without a market that was proved to hold an inscription is listed under `inscriptions` */
                            protocol?: string;
                            /** @description catalog ids, comma separated: at most 64 */
                            protocols?: string;
                            /** @description a catalog group: every market in it */
                            group?: string;
                            /** @description exact, case-insensitive */
                            token?: string;
                            /** @description any source of the order */
                            source?: components["schemas"]["Source"];
                            /** @description orders in this state; withdrawn or rejected ones are listed where this names their state */
                            state?: components["schemas"]["OrderState"];
                            /** @description any of these states */
                            states?: components["schemas"]["OrderState"][];
                            /** @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review */
                            actionability?: components["schemas"]["Actionability"];
                            /** @description orders of this safety */
                            safety?: components["schemas"]["Safety"];
                            /** @description orders of this class */
                            orderClass?: components["schemas"]["OrderClass"];
                            /** @description orders whose signatures have this status */
                            signature?: components["schemas"]["SignatureStatus"];
                            /**
                             * @description ASK: the seller signed; BID: the buyer signed
                             * @enum {string}
                             */
                            side?: "ASK" | "BID";
                            /** @description the script of the offered output in hex, or its address */
                            seller?: string;
                            /** @description orders for this inscription */
                            assetInscriptionId?: string;
                            /** @description orders for an asset in this output */
                            assetOutpoint?: string;
                            /** @description the lowest price in sats, inclusive; leaves out orders without a price */
                            priceMin?: string;
                            /** @description the highest price in sats, inclusive; leaves out orders without a price */
                            priceMax?: string;
                            /**
                             * Format: date-time
                             * @description orders whose `updatedAt` is this time or later (RFC 3339)
                             */
                            updatedSince?: string;
                            /** @description a prefix of an order id, an inscription id or number, the txid of the output or of what spends it, a seller’s address, a market or a word of the token */
                            search?: string;
                            /**
                             * @description show withdrawn and rejected orders too, as `includeWithdrawn` of a list does
                             * @default false
                             */
                            includeWithdrawn: boolean;
                            /** @description only the changes of this order; excludes other filters */
                            orderId?: string;
                        };
                        /**
                         * @description those of the configuration are changed there
                         * @enum {string}
                         */
                        source: "operator" | "configuration";
                        /** @description whose it is; null: no customer’s */
                        customer: string | null;
                        /**
                         * Format: date-time
                         * @description when it was created (RFC 3339)
                         */
                        createdAt: string;
                        /** @description who paused it: an operator, or the endpoint with 410; null: it is not paused */
                        paused: ("operator" | "gone") | null;
                        /** @description secrets that sign now: two for a day after a rotation; null: the configuration has them */
                        secrets: number | null;
                        /** @description number of the current secret; null: the configuration has them */
                        secretVersion: number | null;
                        /** @description records of the log not yet looked at: 0 when all is delivered; in Kafka, the marker of each partition’s last transaction counts */
                        lag: number;
                        /** @description null: the last delivery of each partition succeeded (RFC 3339) */
                        failingSince: string | null;
                        /** @description why the last failed delivery failed */
                        failure: string | null;
                        /** @description dead letters that can be retried */
                        dead: number;
                    };
                };
            };
        };
    };
    resumeWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the webhook */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never> | null;
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description name of the webhook */
                        name: string;
                        /** @description address that changes are posted to */
                        url: string;
                        /** @description which changes are sent */
                        filter: {
                            /** @description one catalog id; an alias means its target. An order without a market that was proved to hold an inscription is listed under `inscriptions` */
                            protocol?: string;
                            /** @description catalog ids, comma separated: at most 64 */
                            protocols?: string;
                            /** @description a catalog group: every market in it */
                            group?: string;
                            /** @description exact, case-insensitive */
                            token?: string;
                            /** @description any source of the order */
                            source?: components["schemas"]["Source"];
                            /** @description orders in this state; withdrawn or rejected ones are listed where this names their state */
                            state?: components["schemas"]["OrderState"];
                            /** @description any of these states */
                            states?: components["schemas"]["OrderState"][];
                            /** @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review */
                            actionability?: components["schemas"]["Actionability"];
                            /** @description orders of this safety */
                            safety?: components["schemas"]["Safety"];
                            /** @description orders of this class */
                            orderClass?: components["schemas"]["OrderClass"];
                            /** @description orders whose signatures have this status */
                            signature?: components["schemas"]["SignatureStatus"];
                            /**
                             * @description ASK: the seller signed; BID: the buyer signed
                             * @enum {string}
                             */
                            side?: "ASK" | "BID";
                            /** @description the script of the offered output in hex, or its address */
                            seller?: string;
                            /** @description orders for this inscription */
                            assetInscriptionId?: string;
                            /** @description orders for an asset in this output */
                            assetOutpoint?: string;
                            /** @description the lowest price in sats, inclusive; leaves out orders without a price */
                            priceMin?: string;
                            /** @description the highest price in sats, inclusive; leaves out orders without a price */
                            priceMax?: string;
                            /**
                             * Format: date-time
                             * @description orders whose `updatedAt` is this time or later (RFC 3339)
                             */
                            updatedSince?: string;
                            /** @description a prefix of an order id, an inscription id or number, the txid of the output or of what spends it, a seller’s address, a market or a word of the token */
                            search?: string;
                            /**
                             * @description show withdrawn and rejected orders too, as `includeWithdrawn` of a list does
                             * @default false
                             */
                            includeWithdrawn: boolean;
                            /** @description only the changes of this order; excludes other filters */
                            orderId?: string;
                        };
                        /**
                         * @description those of the configuration are changed there
                         * @enum {string}
                         */
                        source: "operator" | "configuration";
                        /** @description whose it is; null: no customer’s */
                        customer: string | null;
                        /**
                         * Format: date-time
                         * @description when it was created (RFC 3339)
                         */
                        createdAt: string;
                        /** @description who paused it: an operator, or the endpoint with 410; null: it is not paused */
                        paused: ("operator" | "gone") | null;
                        /** @description secrets that sign now: two for a day after a rotation; null: the configuration has them */
                        secrets: number | null;
                        /** @description number of the current secret; null: the configuration has them */
                        secretVersion: number | null;
                        /** @description records of the log not yet looked at: 0 when all is delivered; in Kafka, the marker of each partition’s last transaction counts */
                        lag: number;
                        /** @description null: the last delivery of each partition succeeded (RFC 3339) */
                        failingSince: string | null;
                        /** @description why the last failed delivery failed */
                        failure: string | null;
                        /** @description dead letters that can be retried */
                        dead: number;
                    };
                };
            };
        };
    };
    retryWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the webhook */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never> | null;
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description name of the webhook */
                        name: string;
                        /** @description address that changes are posted to */
                        url: string;
                        /** @description which changes are sent */
                        filter: {
                            /** @description one catalog id; an alias means its target. An order without a market that was proved to hold an inscription is listed under `inscriptions` */
                            protocol?: string;
                            /** @description catalog ids, comma separated: at most 64 */
                            protocols?: string;
                            /** @description a catalog group: every market in it */
                            group?: string;
                            /** @description exact, case-insensitive */
                            token?: string;
                            /** @description any source of the order */
                            source?: components["schemas"]["Source"];
                            /** @description orders in this state; withdrawn or rejected ones are listed where this names their state */
                            state?: components["schemas"]["OrderState"];
                            /** @description any of these states */
                            states?: components["schemas"]["OrderState"][];
                            /** @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review */
                            actionability?: components["schemas"]["Actionability"];
                            /** @description orders of this safety */
                            safety?: components["schemas"]["Safety"];
                            /** @description orders of this class */
                            orderClass?: components["schemas"]["OrderClass"];
                            /** @description orders whose signatures have this status */
                            signature?: components["schemas"]["SignatureStatus"];
                            /**
                             * @description ASK: the seller signed; BID: the buyer signed
                             * @enum {string}
                             */
                            side?: "ASK" | "BID";
                            /** @description the script of the offered output in hex, or its address */
                            seller?: string;
                            /** @description orders for this inscription */
                            assetInscriptionId?: string;
                            /** @description orders for an asset in this output */
                            assetOutpoint?: string;
                            /** @description the lowest price in sats, inclusive; leaves out orders without a price */
                            priceMin?: string;
                            /** @description the highest price in sats, inclusive; leaves out orders without a price */
                            priceMax?: string;
                            /**
                             * Format: date-time
                             * @description orders whose `updatedAt` is this time or later (RFC 3339)
                             */
                            updatedSince?: string;
                            /** @description a prefix of an order id, an inscription id or number, the txid of the output or of what spends it, a seller’s address, a market or a word of the token */
                            search?: string;
                            /**
                             * @description show withdrawn and rejected orders too, as `includeWithdrawn` of a list does
                             * @default false
                             */
                            includeWithdrawn: boolean;
                            /** @description only the changes of this order; excludes other filters */
                            orderId?: string;
                        };
                        /**
                         * @description those of the configuration are changed there
                         * @enum {string}
                         */
                        source: "operator" | "configuration";
                        /** @description whose it is; null: no customer’s */
                        customer: string | null;
                        /**
                         * Format: date-time
                         * @description when it was created (RFC 3339)
                         */
                        createdAt: string;
                        /** @description who paused it: an operator, or the endpoint with 410; null: it is not paused */
                        paused: ("operator" | "gone") | null;
                        /** @description secrets that sign now: two for a day after a rotation; null: the configuration has them */
                        secrets: number | null;
                        /** @description number of the current secret; null: the configuration has them */
                        secretVersion: number | null;
                        /** @description records of the log not yet looked at: 0 when all is delivered; in Kafka, the marker of each partition’s last transaction counts */
                        lag: number;
                        /** @description null: the last delivery of each partition succeeded (RFC 3339) */
                        failingSince: string | null;
                        /** @description why the last failed delivery failed */
                        failure: string | null;
                        /** @description dead letters that can be retried */
                        dead: number;
                    };
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the webhook */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never> | null;
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description name of the webhook */
                        name: string;
                        /** @description address that changes are posted to */
                        url: string;
                        /** @description which changes are sent */
                        filter: {
                            /** @description one catalog id; an alias means its target. An order without a market that was proved to hold an inscription is listed under `inscriptions` */
                            protocol?: string;
                            /** @description catalog ids, comma separated: at most 64 */
                            protocols?: string;
                            /** @description a catalog group: every market in it */
                            group?: string;
                            /** @description exact, case-insensitive */
                            token?: string;
                            /** @description any source of the order */
                            source?: components["schemas"]["Source"];
                            /** @description orders in this state; withdrawn or rejected ones are listed where this names their state */
                            state?: components["schemas"]["OrderState"];
                            /** @description any of these states */
                            states?: components["schemas"]["OrderState"][];
                            /** @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review */
                            actionability?: components["schemas"]["Actionability"];
                            /** @description orders of this safety */
                            safety?: components["schemas"]["Safety"];
                            /** @description orders of this class */
                            orderClass?: components["schemas"]["OrderClass"];
                            /** @description orders whose signatures have this status */
                            signature?: components["schemas"]["SignatureStatus"];
                            /**
                             * @description ASK: the seller signed; BID: the buyer signed
                             * @enum {string}
                             */
                            side?: "ASK" | "BID";
                            /** @description the script of the offered output in hex, or its address */
                            seller?: string;
                            /** @description orders for this inscription */
                            assetInscriptionId?: string;
                            /** @description orders for an asset in this output */
                            assetOutpoint?: string;
                            /** @description the lowest price in sats, inclusive; leaves out orders without a price */
                            priceMin?: string;
                            /** @description the highest price in sats, inclusive; leaves out orders without a price */
                            priceMax?: string;
                            /**
                             * Format: date-time
                             * @description orders whose `updatedAt` is this time or later (RFC 3339)
                             */
                            updatedSince?: string;
                            /** @description a prefix of an order id, an inscription id or number, the txid of the output or of what spends it, a seller’s address, a market or a word of the token */
                            search?: string;
                            /**
                             * @description show withdrawn and rejected orders too, as `includeWithdrawn` of a list does
                             * @default false
                             */
                            includeWithdrawn: boolean;
                            /** @description only the changes of this order; excludes other filters */
                            orderId?: string;
                        };
                        /**
                         * @description those of the configuration are changed there
                         * @enum {string}
                         */
                        source: "operator" | "configuration";
                        /** @description whose it is; null: no customer’s */
                        customer: string | null;
                        /**
                         * Format: date-time
                         * @description when it was created (RFC 3339)
                         */
                        createdAt: string;
                        /** @description who paused it: an operator, or the endpoint with 410; null: it is not paused */
                        paused: ("operator" | "gone") | null;
                        /** @description secrets that sign now: two for a day after a rotation; null: the configuration has them */
                        secrets: number | null;
                        /** @description number of the current secret; null: the configuration has them */
                        secretVersion: number | null;
                        /** @description records of the log not yet looked at: 0 when all is delivered; in Kafka, the marker of each partition’s last transaction counts */
                        lag: number;
                        /** @description null: the last delivery of each partition succeeded (RFC 3339) */
                        failingSince: string | null;
                        /** @description why the last failed delivery failed */
                        failure: string | null;
                        /** @description dead letters that can be retried */
                        dead: number;
                    };
                };
            };
        };
    };
    listKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description the keys, by name */
                        keys: {
                            /** @description name of the customer */
                            name: string;
                            /** @description its tier */
                            tier: string;
                            /** @description null: API_TIERS has no such tier, so its requests are limited as any stranger’s */
                            limits: {
                                /** @description requests per minute over all routes; each line of a batch is one more */
                                requests: number;
                                /** @description KiB of proved orders that a gateway stores an hour, a third of it in one burst */
                                storedKib: number;
                                /** @description streams of changes at a time, at each gateway */
                                streams: number;
                                /** @description webhooks that operators may create for the key */
                                webhooks: number;
                            } | null;
                            /**
                             * Format: date-time
                             * @description when the key was created (RFC 3339)
                             */
                            createdAt: string;
                            /** @description secrets that are accepted now: two for a day after a rotation */
                            secrets: number;
                            /**
                             * Format: date-time
                             * @description when the newest secret was made (RFC 3339)
                             */
                            rotatedAt: string;
                        }[];
                    };
                };
            };
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description whose key it is */
                    name: string;
                    /** @description a tier of API_TIERS */
                    tier: string;
                };
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description name of the customer */
                        name: string;
                        /** @description its tier */
                        tier: string;
                        /** @description null: API_TIERS has no such tier, so its requests are limited as any stranger’s */
                        limits: {
                            /** @description requests per minute over all routes; each line of a batch is one more */
                            requests: number;
                            /** @description KiB of proved orders that a gateway stores an hour, a third of it in one burst */
                            storedKib: number;
                            /** @description streams of changes at a time, at each gateway */
                            streams: number;
                            /** @description webhooks that operators may create for the key */
                            webhooks: number;
                        } | null;
                        /**
                         * Format: date-time
                         * @description when the key was created (RFC 3339)
                         */
                        createdAt: string;
                        /** @description secrets that are accepted now: two for a day after a rotation */
                        secrets: number;
                        /**
                         * Format: date-time
                         * @description when the newest secret was made (RFC 3339)
                         */
                        rotatedAt: string;
                        /** @description shown in this answer alone; sent as `Authorization: Bearer`, stored as its SHA-256 */
                        key: string;
                    };
                };
            };
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the key */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    /**
                     * @description how long the previous secrets are still accepted; 0: they end now
                     * @default 86400
                     */
                    previousForSeconds?: number;
                } | null;
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description name of the customer */
                        name: string;
                        /** @description its tier */
                        tier: string;
                        /** @description null: API_TIERS has no such tier, so its requests are limited as any stranger’s */
                        limits: {
                            /** @description requests per minute over all routes; each line of a batch is one more */
                            requests: number;
                            /** @description KiB of proved orders that a gateway stores an hour, a third of it in one burst */
                            storedKib: number;
                            /** @description streams of changes at a time, at each gateway */
                            streams: number;
                            /** @description webhooks that operators may create for the key */
                            webhooks: number;
                        } | null;
                        /**
                         * Format: date-time
                         * @description when the key was created (RFC 3339)
                         */
                        createdAt: string;
                        /** @description secrets that are accepted now: two for a day after a rotation */
                        secrets: number;
                        /**
                         * Format: date-time
                         * @description when the newest secret was made (RFC 3339)
                         */
                        rotatedAt: string;
                        /** @description shown in this answer alone; sent as `Authorization: Bearer`, stored as its SHA-256 */
                        key: string;
                    };
                };
            };
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the key */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never> | null;
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description name of the customer */
                        name: string;
                        /** @description its tier */
                        tier: string;
                        /** @description null: API_TIERS has no such tier, so its requests are limited as any stranger’s */
                        limits: {
                            /** @description requests per minute over all routes; each line of a batch is one more */
                            requests: number;
                            /** @description KiB of proved orders that a gateway stores an hour, a third of it in one burst */
                            storedKib: number;
                            /** @description streams of changes at a time, at each gateway */
                            streams: number;
                            /** @description webhooks that operators may create for the key */
                            webhooks: number;
                        } | null;
                        /**
                         * Format: date-time
                         * @description when the key was created (RFC 3339)
                         */
                        createdAt: string;
                        /** @description secrets that are accepted now: two for a day after a rotation */
                        secrets: number;
                        /**
                         * Format: date-time
                         * @description when the newest secret was made (RFC 3339)
                         */
                        rotatedAt: string;
                    };
                };
            };
        };
    };
    listOrderVersions: {
        parameters: {
            query?: {
                /** @description only the version in force at this day or time in UTC, or at the block of this height */
                at?: string;
                /** @description versions per page: 1 to 100, 50 by default */
                limit?: string;
                /** @description `nextCursor` of the previous page of the same question */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description order id: 64 hex digits in either case */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderVersionPage"];
                };
            };
        };
    };
    listOrderVersionsAsOperator: {
        parameters: {
            query?: {
                /** @description only the version in force at this day or time in UTC, or at the block of this height */
                at?: string;
                /** @description versions per page: 1 to 100, 50 by default */
                limit?: string;
                /** @description `nextCursor` of the previous page of the same question */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description order id: 64 hex digits in either case */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderVersionPage"];
                };
            };
        };
    };
    readBundle: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description order id: 64 hex digits in either case */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisputeBundle"];
                };
            };
        };
    };
    readBundleAsOperator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description order id: 64 hex digits in either case */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisputeBundle"];
                };
            };
        };
    };
    listActivity: {
        parameters: {
            query?: {
                /** @description only the changes of this order */
                orderId?: string;
                /** @description entries per page: 1 to 200, 50 by default */
                limit?: string;
                /** @description `nextCursor` of the previous page; valid only with the same filters and sort */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivityPage"];
                };
            };
        };
    };
    streamActivity: {
        parameters: {
            query?: {
                /** @description one catalog id; an alias means its target. An order without a market that was proved to hold an inscription is listed under `inscriptions` */
                protocol?: string;
                /** @description catalog ids, comma separated: at most 64 */
                protocols?: string;
                /** @description a catalog group: every market in it */
                group?: string;
                /** @description exact, case-insensitive */
                token?: string;
                /** @description any source of the order */
                source?: "portable-nostr802" | "asset-offers" | "direct-import";
                /** @description orders in this state; withdrawn or rejected ones are listed where this names their state */
                state?: "PENDING_NODE" | "PENDING_ASSET" | "LIVE" | "MEMPOOL_CONFLICTED" | "SPENT" | "SETTLED" | "REJECTED" | "WITHDRAWN";
                /** @description any of these states, comma separated; withdrawn or rejected orders are listed where their state is among them */
                states?: string;
                /** @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review */
                actionability?: "REVIEW_ONLY" | "HANDOFF_READY" | "BLOCKED";
                /** @description orders of this safety */
                safety?: "PUBLIC_RACEABLE" | "TARGETED_REVIEW" | "UNSUPPORTED";
                /** @description orders of this class */
                orderClass?: "ASK_ANYONECANPAY" | "BID_FULLY_FUNDED" | "UNSUPPORTED";
                /** @description orders whose signatures have this status */
                signature?: "NONE" | "VALID" | "INVALID" | "UNAVAILABLE";
                /** @description ASK: the seller signed; BID: the buyer signed */
                side?: "ASK" | "BID";
                /** @description the script of the offered output in hex, or its address */
                seller?: string;
                /** @description orders for this inscription */
                assetInscriptionId?: string;
                /** @description orders for an asset in this output */
                assetOutpoint?: string;
                /** @description the lowest price in sats, inclusive; leaves out orders without a price */
                priceMin?: string;
                /** @description the highest price in sats, inclusive; leaves out orders without a price */
                priceMax?: string;
                /** @description orders whose `updatedAt` is this time or later; that they become stale is no update (RFC 3339) */
                updatedSince?: string;
                /** @description a prefix of an order id, an inscription id or number, the txid of the output or of what spends it, a seller’s address, a market or a word of the token */
                search?: string;
                /** @description include withdrawn and rejected orders; not needed where `state` or `states` names theirs. No other filter adds to a list */
                includeWithdrawn?: "true" | "false";
                /** @description orders in the snapshot, newest first: 1 to 200, 50 by default */
                limit?: string;
                /** @description only the changes of this order; excludes other filters */
                orderId?: string;
                /** @description the `id` of the last event received, for a client that cannot send Last-Event-ID */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["StreamSnapshot"] | components["schemas"]["StreamChange"] | components["schemas"]["StreamHeartbeat"] | components["schemas"]["StreamEnd"];
                };
            };
        };
    };
    readMarketNow: {
        parameters: {
            query?: {
                /** @description of this market: a catalog id, as orders name it */
                protocol?: string;
                /** @description of this token; case-insensitive */
                token?: string;
                /** @description rows per page: 1 to 1000, 100 by default */
                limit?: string;
                /** @description `nextCursor` of the previous page of the same question */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description beginning of the range that was read; null: of now, or of all time (RFC 3339) */
                        from: string | null;
                        /** @description end of that range, excluded; null: of now, or of all time (RFC 3339) */
                        to: string | null;
                        /** @description rows of this page */
                        rows: {
                            /** @description the market, as last told; untrusted */
                            protocol_id: string | null;
                            /** @description as last told; untrusted */
                            token: string | null;
                            /** @description asks that are LIVE */
                            live_asks: string;
                            /** @description bids that are LIVE */
                            live_bids: string;
                            /** @description outputs that they offer: several orders may offer one */
                            live_outputs: string;
                            /** @description the lowest price of a LIVE ask, postage included, sats */
                            floor_sats: string | null;
                            /** @description the highest price of a LIVE bid, sats; null: there is none */
                            best_bid_sats: string | null;
                            /** @description the sum of the prices of the LIVE asks, sats */
                            asked_sats: string;
                        }[];
                        /** @description most rows of a page, as asked for */
                        limit: number;
                        /** @description `cursor` of the next page; empty on the last page */
                        nextCursor: string;
                        /** @description whether there is a next page */
                        hasMore: boolean;
                    };
                };
            };
        };
    };
    readDepth: {
        parameters: {
            query?: {
                /** @description of this market: a catalog id, as orders name it */
                protocol?: string;
                /** @description of this token; case-insensitive */
                token?: string;
                /** @description rows per page: 1 to 1000, 100 by default */
                limit?: string;
                /** @description `nextCursor` of the previous page of the same question */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description beginning of the range that was read; null: of now, or of all time (RFC 3339) */
                        from: string | null;
                        /** @description end of that range, excluded; null: of now, or of all time (RFC 3339) */
                        to: string | null;
                        /** @description rows of this page */
                        rows: {
                            /** @description the market, as last told; untrusted */
                            protocol_id: string | null;
                            /** @description as last told; untrusted */
                            token: string | null;
                            /**
                             * @description ASK: the seller signed, BID: the buyer signed
                             * @enum {string}
                             */
                            side: "ASK" | "BID";
                            /** @description the price, sats */
                            price_sats: string;
                            /** @description LIVE orders at this price */
                            orders: string;
                            /** @description at this price or a better one */
                            orders_up_to: string;
                            /** @description the sum of their prices, sats */
                            sats_up_to: string;
                        }[];
                        /** @description most rows of a page, as asked for */
                        limit: number;
                        /** @description `cursor` of the next page; empty on the last page */
                        nextCursor: string;
                        /** @description whether there is a next page */
                        hasMore: boolean;
                    };
                };
            };
        };
    };
    readBook: {
        parameters: {
            query?: {
                /** @description as of this day or time in UTC, or of the block at this height */
                at?: string;
                /** @description of this market: a catalog id, as orders name it */
                protocol?: string;
                /** @description of this token; case-insensitive */
                token?: string;
                /** @description of this inscription */
                inscription?: string;
                /** @description of this seller: the script of the offered output in hex, or its address */
                seller?: string;
                /** @description rows per page: 1 to 1000, 100 by default */
                limit?: string;
                /** @description `nextCursor` of the previous page of the same question */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description beginning of the range that was read; null: of now, or of all time (RFC 3339) */
                        from: string | null;
                        /** @description end of that range, excluded; null: of now, or of all time (RFC 3339) */
                        to: string | null;
                        /** @description rows of this page */
                        rows: {
                            /** @description the order */
                            order_id: string;
                            /** @description the number of the change that made this version */
                            seq: string;
                            /**
                             * Format: date-time
                             * @description from when the version was in force (RFC 3339)
                             */
                            in_force_from: string;
                            /** @description excluded; null: it is in force (RFC 3339) */
                            in_force_until: string | null;
                            /** @description the offered output */
                            outpoint: string;
                            /** @description the market, as last told; untrusted */
                            protocol_id: string | null;
                            /** @description as last told; untrusted */
                            token: string | null;
                            /** @description ASK or BID; null: not known */
                            side: ("ASK" | "BID") | null;
                            /** @description what the seller is paid, postage included, sats */
                            gross_price_sats: string | null;
                            /** @description what the seller is paid less the postage, sats */
                            net_price_sats: string | null;
                            /** @description value of the offered output, sats; null: not known */
                            postage_sats: string | null;
                            /** @description script of the offered output, hex; null: not known */
                            seller_script_hex: string | null;
                            /** @description inscriptions that it is for */
                            inscription_ids: string[];
                            /** @description the address of that script; null: it has none */
                            seller_address: string | null;
                        }[];
                        /** @description most rows of a page, as asked for */
                        limit: number;
                        /** @description `cursor` of the next page; empty on the last page */
                        nextCursor: string;
                        /** @description whether there is a next page */
                        hasMore: boolean;
                    };
                };
            };
        };
    };
    readVolume: {
        parameters: {
            query?: {
                /** @description of this market: a catalog id, as orders name it */
                protocol?: string;
                /** @description of this token; case-insensitive */
                token?: string;
                /** @description up to this day or time in UTC, excluded; by default the end of the present minute */
                to?: string;
                /** @description rows per page: 1 to 1000, 100 by default */
                limit?: string;
                /** @description `nextCursor` of the previous page of the same question */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description beginning of the range that was read; null: of now, or of all time (RFC 3339) */
                        from: string | null;
                        /** @description end of that range, excluded; null: of now, or of all time (RFC 3339) */
                        to: string | null;
                        /** @description rows of this page */
                        rows: {
                            /** @description the days up to `to`: 1, 7 or 30 */
                            days: number;
                            /** @description sales in those days */
                            sales: string;
                            /** @description the sum of their prices, postage included, sats */
                            volume_sats: string;
                            /** @description different scripts of the outputs that they sold */
                            sellers: string;
                            /** @description the same in as many days before those */
                            sales_before: string;
                            /** @description the same in as many days before those, sats */
                            volume_before_sats: string;
                            /** @description the same in as many days before those */
                            sellers_before: string;
                            /** @description of the days before, whole, rounded towards zero; null: there was nothing then */
                            sales_change_percent: string | null;
                            /** @description of the days before, whole, rounded towards zero; null: there was nothing then */
                            volume_change_percent: string | null;
                            /** @description of the days before, whole, rounded towards zero; null: there was nothing then */
                            sellers_change_percent: string | null;
                        }[];
                        /** @description most rows of a page, as asked for */
                        limit: number;
                        /** @description `cursor` of the next page; empty on the last page */
                        nextCursor: string;
                        /** @description whether there is a next page */
                        hasMore: boolean;
                    };
                };
            };
        };
    };
    listFloors: {
        parameters: {
            query?: {
                /** @description of this market: a catalog id, as orders name it */
                protocol?: string;
                /** @description of this token; case-insensitive */
                token?: string;
                /** @description of candles, or of the floor */
                interval?: "hour" | "day" | "week";
                /** @description from this day or time in UTC */
                from?: string;
                /** @description up to this day or time in UTC, excluded; by default the end of the present minute */
                to?: string;
                /** @description rows per page: 1 to 1000, 100 by default */
                limit?: string;
                /** @description `nextCursor` of the previous page of the same question */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description beginning of the range that was read; null: of now, or of all time (RFC 3339) */
                        from: string | null;
                        /** @description end of that range, excluded; null: of now, or of all time (RFC 3339) */
                        to: string | null;
                        /** @description rows of this page */
                        rows: {
                            /** @description hour, day or week */
                            interval: string;
                            /**
                             * Format: date-time
                             * @description the beginning of an hour, a day or a week, and last the end of the range (RFC 3339)
                             */
                            at: string;
                            /** @description the market, as last told; untrusted */
                            protocol_id: string | null;
                            /** @description as last told; untrusted */
                            token: string | null;
                            /** @description the lowest price of an ask LIVE then, postage included, sats; null: there was none */
                            floor_sats: string | null;
                            /** @description the highest price of a bid LIVE then, sats; null: there was none */
                            best_bid_sats: string | null;
                        }[];
                        /** @description most rows of a page, as asked for */
                        limit: number;
                        /** @description `cursor` of the next page; empty on the last page */
                        nextCursor: string;
                        /** @description whether there is a next page */
                        hasMore: boolean;
                    };
                };
            };
        };
    };
    listCandles: {
        parameters: {
            query?: {
                /** @description of this market: a catalog id, as orders name it */
                protocol?: string;
                /** @description of this token; case-insensitive */
                token?: string;
                /** @description of candles, or of the floor */
                interval?: "hour" | "day" | "week";
                /** @description from this day or time in UTC */
                from?: string;
                /** @description up to this day or time in UTC, excluded; by default the end of today */
                to?: string;
                /** @description rows per page: 1 to 1000, 100 by default */
                limit?: string;
                /** @description `nextCursor` of the previous page of the same question */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description beginning of the range that was read; null: of now, or of all time (RFC 3339) */
                        from: string | null;
                        /** @description end of that range, excluded; null: of now, or of all time (RFC 3339) */
                        to: string | null;
                        /** @description rows of this page */
                        rows: {
                            /** @description hour, day or week */
                            interval: string;
                            /**
                             * Format: date-time
                             * @description beginning of the interval (RFC 3339)
                             */
                            start: string;
                            /** @description the market, as last told; untrusted */
                            protocol_id: string | null;
                            /** @description as last told; untrusted */
                            token: string | null;
                            /** @description price of the first sale, sats */
                            open_sats: string;
                            /** @description the highest price, sats */
                            high_sats: string;
                            /** @description the lowest price, sats */
                            low_sats: string;
                            /** @description price of the last sale, sats */
                            close_sats: string;
                            /** @description the sum of the prices, sats */
                            volume_sats: string;
                            /** @description sales in the interval */
                            sales: string;
                        }[];
                        /** @description most rows of a page, as asked for */
                        limit: number;
                        /** @description `cursor` of the next page; empty on the last page */
                        nextCursor: string;
                        /** @description whether there is a next page */
                        hasMore: boolean;
                    };
                };
            };
        };
    };
    listSales: {
        parameters: {
            query?: {
                /** @description of this market: a catalog id, as orders name it */
                protocol?: string;
                /** @description of this token; case-insensitive */
                token?: string;
                /** @description of this inscription */
                inscription?: string;
                /** @description of this seller: the script of the offered output in hex, or its address */
                seller?: string;
                /** @description from this day or time in UTC */
                from?: string;
                /** @description up to this day or time in UTC, excluded; by default the end of today */
                to?: string;
                /** @description rows per page: 1 to 1000, 100 by default */
                limit?: string;
                /** @description `nextCursor` of the previous page of the same question */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description beginning of the range that was read; null: of now, or of all time (RFC 3339) */
                        from: string | null;
                        /** @description end of that range, excluded; null: of now, or of all time (RFC 3339) */
                        to: string | null;
                        /** @description rows of this page */
                        rows: {
                            /** @description the order that was sold */
                            order_id: string;
                            /** @description the output that was sold */
                            outpoint: string;
                            /** @description the transaction that bought it */
                            txid: string;
                            /**
                             * Format: date-time
                             * @description when the purchase was observed first (RFC 3339)
                             */
                            sold_at: string;
                            /**
                             * Format: date-time
                             * @description when the order became SETTLED (RFC 3339)
                             */
                            settled_at: string;
                            /** @description height of its block; null: it is in the mempool */
                            block_height: number | null;
                            /** @description the market, as last told; untrusted */
                            protocol_id: string | null;
                            /** @description as last told; untrusted */
                            token: string | null;
                            /** @description ASK or BID; null: not known */
                            side: ("ASK" | "BID") | null;
                            /** @description inscriptions that were sold */
                            inscription_ids: string[];
                            /** @description script of the output that was sold, hex; null: not known */
                            seller_script_hex: string | null;
                            /** @description what the seller is paid, postage included, sats */
                            gross_price_sats: string | null;
                            /** @description what the seller is paid less the postage, sats */
                            net_price_sats: string | null;
                            /** @description value of the output that was sold, sats; null: not known */
                            postage_sats: string | null;
                            /** @description when the order became LIVE first; null: it never was, and the sale is in no sum (RFC 3339) */
                            first_live_at: string | null;
                            /** @description a reorganisation took it back: it is in no sum */
                            is_taken_back: boolean;
                            /** @description in the sums, as the one sale of its output: of an order that was LIVE here before */
                            is_counted: boolean;
                            /** @description the address of that script; null: it has none */
                            seller_address: string | null;
                        }[];
                        /** @description most rows of a page, as asked for */
                        limit: number;
                        /** @description `cursor` of the next page; empty on the last page */
                        nextCursor: string;
                        /** @description whether there is a next page */
                        hasMore: boolean;
                    };
                };
            };
        };
    };
    readInscriptionLife: {
        parameters: {
            query?: {
                /** @description of this inscription */
                inscription?: string;
                /** @description rows per page: 1 to 1000, 100 by default */
                limit?: string;
                /** @description `nextCursor` of the previous page of the same question */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description beginning of the range that was read; null: of now, or of all time (RFC 3339) */
                        from: string | null;
                        /** @description end of that range, excluded; null: of now, or of all time (RFC 3339) */
                        to: string | null;
                        /** @description rows of this page */
                        rows: {
                            /** @description the inscription */
                            inscription_id: string;
                            /** @description the order that changed */
                            order_id: string;
                            /** @description number of the change among the changes of its order, from 1 */
                            seq: string;
                            /**
                             * Format: date-time
                             * @description when the change was observed (RFC 3339)
                             */
                            observed_at: string;
                            /** @description the state before; null: the first change */
                            from_state: components["schemas"]["OrderState"] | null;
                            /** @description the state after */
                            to_state: components["schemas"]["OrderState"];
                            /** @description code of why it changed */
                            reason: string;
                            /** @description the offered output */
                            outpoint: string;
                            /** @description ASK or BID; null: not known */
                            side: ("ASK" | "BID") | null;
                            /** @description what the seller is paid, postage included, sats; null: no price */
                            gross_price_sats: string | null;
                            /** @description what the seller is paid less the postage, sats; null: not known */
                            net_price_sats: string | null;
                            /** @description the transaction that bought it; null: none */
                            settlement_txid: string | null;
                            /** @description a reorganisation took the change back */
                            is_taken_back: boolean;
                        }[];
                        /** @description most rows of a page, as asked for */
                        limit: number;
                        /** @description `cursor` of the next page; empty on the last page */
                        nextCursor: string;
                        /** @description whether there is a next page */
                        hasMore: boolean;
                    };
                };
            };
        };
    };
    readTransactionEffects: {
        parameters: {
            query?: {
                /** @description of this transaction */
                txid?: string;
                /** @description rows per page: 1 to 1000, 100 by default */
                limit?: string;
                /** @description `nextCursor` of the previous page of the same question */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description beginning of the range that was read; null: of now, or of all time (RFC 3339) */
                        from: string | null;
                        /** @description end of that range, excluded; null: of now, or of all time (RFC 3339) */
                        to: string | null;
                        /** @description rows of this page */
                        rows: {
                            /** @description the transaction */
                            txid: string;
                            /** @description the order whose output it bought or spent */
                            order_id: string;
                            /** @description number of the change that names it among the changes of the order */
                            seq: string;
                            /**
                             * Format: date-time
                             * @description when that was observed (RFC 3339)
                             */
                            observed_at: string;
                            /**
                             * @description sale: it carries the exact payout; spend: it spends the output, no more is known
                             * @enum {string}
                             */
                            did: "sale" | "spend";
                            /** @description height of its block; null: in the mempool */
                            block_height: number | null;
                            /** @description the state before; null: the first change */
                            from_state: components["schemas"]["OrderState"] | null;
                            /** @description the state after */
                            to_state: components["schemas"]["OrderState"];
                            /** @description code of why it changed */
                            reason: string;
                            /** @description the offered output */
                            outpoint: string;
                            /** @description ASK or BID; null: not known */
                            side: ("ASK" | "BID") | null;
                            /** @description what the seller is paid, postage included, sats; null: no price */
                            gross_price_sats: string | null;
                            /** @description what the seller is paid less the postage, sats; null: not known */
                            net_price_sats: string | null;
                            /** @description it spends the output now; false: replaced, gone, or taken back */
                            is_current: boolean;
                        }[];
                        /** @description most rows of a page, as asked for */
                        limit: number;
                        /** @description `cursor` of the next page; empty on the last page */
                        nextCursor: string;
                        /** @description whether there is a next page */
                        hasMore: boolean;
                    };
                };
            };
        };
    };
    listSellers: {
        parameters: {
            query?: {
                /** @description of this seller: the script of the offered output in hex, or its address */
                seller?: string;
                /** @description from this day or time in UTC */
                from?: string;
                /** @description up to this day or time in UTC, excluded; by default the end of today */
                to?: string;
                /** @description rows per page: 1 to 1000, 100 by default */
                limit?: string;
                /** @description `nextCursor` of the previous page of the same question */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description beginning of the range that was read; null: of now, or of all time (RFC 3339) */
                        from: string | null;
                        /** @description end of that range, excluded; null: of now, or of all time (RFC 3339) */
                        to: string | null;
                        /** @description rows of this page */
                        rows: {
                            /** @description script of the offered outputs, hex */
                            seller_script_hex: string;
                            /** @description asks that were first sent */
                            listed: string;
                            /** @description sales, of bids too */
                            sold: string;
                            /** @description the sum of the prices of those, sats */
                            sold_sats: string;
                            /** @description asks that were withdrawn */
                            withdrawn: string;
                            /** @description asks whose output was spent without a sale of it */
                            spent_elsewhere: string;
                            /** @description the address of that script; null: it has none */
                            seller_address: string | null;
                        }[];
                        /** @description most rows of a page, as asked for */
                        limit: number;
                        /** @description `cursor` of the next page; empty on the last page */
                        nextCursor: string;
                        /** @description whether there is a next page */
                        hasMore: boolean;
                    };
                };
            };
        };
    };
    readTimeToSettle: {
        parameters: {
            query?: {
                /** @description of this market: a catalog id, as orders name it */
                protocol?: string;
                /** @description of this token; case-insensitive */
                token?: string;
                /** @description from this day or time in UTC */
                from?: string;
                /** @description up to this day or time in UTC, excluded; by default the end of today */
                to?: string;
                /** @description rows per page: 1 to 1000, 100 by default */
                limit?: string;
                /** @description `nextCursor` of the previous page of the same question */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description beginning of the range that was read; null: of now, or of all time (RFC 3339) */
                        from: string | null;
                        /** @description end of that range, excluded; null: of now, or of all time (RFC 3339) */
                        to: string | null;
                        /** @description rows of this page */
                        rows: {
                            /**
                             * Format: date
                             * @description UTC
                             */
                            day: string;
                            /** @description the market, as last told; untrusted */
                            protocol_id: string | null;
                            /** @description as last told; untrusted */
                            token: string | null;
                            /** @description sales of the day */
                            sales: string;
                            /** @description median of the time from LIVE to the purchase, seconds */
                            median_seconds: string;
                            /** @description the time that nine of ten sales took at most, seconds */
                            p90_seconds: string;
                            /** @description the longest time, seconds */
                            longest_seconds: string;
                        }[];
                        /** @description most rows of a page, as asked for */
                        limit: number;
                        /** @description `cursor` of the next page; empty on the last page */
                        nextCursor: string;
                        /** @description whether there is a next page */
                        hasMore: boolean;
                    };
                };
            };
        };
    };
    listConflicts: {
        parameters: {
            query?: {
                /** @description from this day or time in UTC */
                from?: string;
                /** @description up to this day or time in UTC, excluded; by default the end of today */
                to?: string;
                /** @description rows per page: 1 to 1000, 100 by default */
                limit?: string;
                /** @description `nextCursor` of the previous page of the same question */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description beginning of the range that was read; null: of now, or of all time (RFC 3339) */
                        from: string | null;
                        /** @description end of that range, excluded; null: of now, or of all time (RFC 3339) */
                        to: string | null;
                        /** @description rows of this page */
                        rows: {
                            /**
                             * Format: date
                             * @description UTC
                             */
                            day: string;
                            /**
                             * @description `conflict`: a spend appeared; `replacement`: another replaced it; `release`: it is gone; `taken_back`: a reorganisation undid a sale
                             * @enum {string}
                             */
                            kind: "conflict" | "replacement" | "release" | "taken_back";
                            /** @description number of such changes */
                            events: string;
                            /** @description orders that they happened to */
                            orders: string;
                        }[];
                        /** @description most rows of a page, as asked for */
                        limit: number;
                        /** @description `cursor` of the next page; empty on the last page */
                        nextCursor: string;
                        /** @description whether there is a next page */
                        hasMore: boolean;
                    };
                };
            };
        };
    };
    listVerdicts: {
        parameters: {
            query?: {
                /** @description from this day or time in UTC */
                from?: string;
                /** @description up to this day or time in UTC, excluded; by default the end of today */
                to?: string;
                /** @description rows per page: 1 to 1000, 100 by default */
                limit?: string;
                /** @description `nextCursor` of the previous page of the same question */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description beginning of the range that was read; null: of now, or of all time (RFC 3339) */
                        from: string | null;
                        /** @description end of that range, excluded; null: of now, or of all time (RFC 3339) */
                        to: string | null;
                        /** @description rows of this page */
                        rows: {
                            /**
                             * Format: date
                             * @description UTC
                             */
                            day: string;
                            /** @description state that was decided */
                            state: components["schemas"]["OrderState"];
                            /** @description code of why */
                            reason: string;
                            /** @description number of verdicts */
                            verdicts: string;
                            /** @description orders that they were about */
                            orders: string;
                        }[];
                        /** @description most rows of a page, as asked for */
                        limit: number;
                        /** @description `cursor` of the next page; empty on the last page */
                        nextCursor: string;
                        /** @description whether there is a next page */
                        hasMore: boolean;
                    };
                };
            };
        };
    };
    listSources: {
        parameters: {
            query?: {
                /** @description from this day or time in UTC */
                from?: string;
                /** @description up to this day or time in UTC, excluded; by default the end of today */
                to?: string;
                /** @description rows per page: 1 to 1000, 100 by default */
                limit?: string;
                /** @description `nextCursor` of the previous page of the same question */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description beginning of the range that was read; null: of now, or of all time (RFC 3339) */
                        from: string | null;
                        /** @description end of that range, excluded; null: of now, or of all time (RFC 3339) */
                        to: string | null;
                        /** @description rows of this page */
                        rows: {
                            /**
                             * Format: date
                             * @description UTC
                             */
                            day: string;
                            /** @description the kind of source */
                            source: string;
                            /** @description orders that it sent */
                            orders: string;
                            /** @description orders that it was the first to send */
                            first_told: string;
                            /** @description how often it sent an order that had been sent before, by itself included */
                            duplicates: string;
                            /** @description orders that were LIVE once */
                            valid: string;
                            /** @description orders that never were: their output, or one that pays for a bid, is spent or missing */
                            stale: string;
                            /** @description orders that never were, and were refused for what is wrong with them */
                            fake: string;
                            /** @description all others: still pending, withdrawn, or refused without an answer about them, such as `made_room` */
                            undecided: string;
                            /** @description median time from when it was the first to send an order to the first verdict, milliseconds; null: there was none */
                            median_lag_ms: string | null;
                            /** @description the longest such time, milliseconds; null: there was none */
                            longest_lag_ms: string | null;
                        }[];
                        /** @description most rows of a page, as asked for */
                        limit: number;
                        /** @description `cursor` of the next page; empty on the last page */
                        nextCursor: string;
                        /** @description whether there is a next page */
                        hasMore: boolean;
                    };
                };
            };
        };
    };
    readStatisticCsv: {
        parameters: {
            query?: {
                /** @description of this market: a catalog id, as orders name it */
                protocol?: string;
                /** @description of this token; case-insensitive */
                token?: string;
                /** @description of this inscription */
                inscription?: string;
                /** @description of this transaction */
                txid?: string;
                /** @description of this seller: the script of the offered output in hex, or its address */
                seller?: string;
                /** @description as of this day or time in UTC, or of the block at this height */
                at?: string;
                /** @description of candles, or of the floor; day by default */
                interval?: "hour" | "day" | "week";
                /** @description from this day or time in UTC */
                from?: string;
                /** @description up to this day or time in UTC, excluded; by default the end of today */
                to?: string;
                /** @description the first rows alone: 1 to 10000; by default all, or a refusal */
                limit?: string;
            };
            header?: never;
            path: {
                /** @description the statistic */
                name: "market" | "depth" | "book" | "volume" | "floor" | "candles" | "sales" | "inscription" | "transaction" | "sellers" | "time-to-settle" | "conflicts" | "verdicts" | "sources";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description The range that was asked for */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    readStatisticParquet: {
        parameters: {
            query?: {
                /** @description of this market: a catalog id, as orders name it */
                protocol?: string;
                /** @description of this token; case-insensitive */
                token?: string;
                /** @description of this inscription */
                inscription?: string;
                /** @description of this transaction */
                txid?: string;
                /** @description of this seller: the script of the offered output in hex, or its address */
                seller?: string;
                /** @description as of this day or time in UTC, or of the block at this height */
                at?: string;
                /** @description of candles, or of the floor; day by default */
                interval?: "hour" | "day" | "week";
                /** @description from this day or time in UTC */
                from?: string;
                /** @description up to this day or time in UTC, excluded; by default the end of today */
                to?: string;
                /** @description the first rows alone: 1 to 10000; by default all, or a refusal */
                limit?: string;
            };
            header?: never;
            path: {
                /** @description the statistic */
                name: "market" | "depth" | "book" | "volume" | "floor" | "candles" | "sales" | "inscription" | "transaction" | "sellers" | "time-to-settle" | "conflicts" | "verdicts" | "sources";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.apache.parquet": string;
                };
            };
            /** @description The range that was asked for */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.apache.parquet": string;
                };
            };
        };
    };
    probeLife: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProbeReport"];
                };
            };
        };
    };
    probeReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadinessReport"];
                };
            };
        };
    };
    listObjects: {
        parameters: {
            query?: {
                /** @description Maximum number of entries; a value out of range is rejected, not clamped. */
                limit?: number;
                /** @description Where the list continues: an opaque value from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description the objects */
                        items: components["schemas"]["PairingObject"][];
                    };
                };
            };
        };
    };
    readObject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Hex in either case; answers use lowercase. */
                objectKey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PairingObject"];
                };
            };
        };
    };
    listEventsOfObject: {
        parameters: {
            query?: {
                /** @description Maximum number of entries; a value out of range is rejected, not clamped. */
                limit?: number;
                /** @description Where the list continues: an opaque value from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description Hex in either case; answers use lowercase. */
                objectKey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description key of the object */
                        objectKey: string;
                        /** @description its events, newest first */
                        events: components["schemas"]["PairingEvent"][];
                    };
                };
            };
        };
    };
    listCarriers: {
        parameters: {
            query?: {
                /** @description Maximum number of entries; a value out of range is rejected, not clamped. */
                limit?: number;
                /** @description Where the list continues: an opaque value from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description the carriers */
                        items: components["schemas"]["PairingCarrier"][];
                    };
                };
            };
        };
    };
    readCarrier: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Hex in either case; answers use lowercase. */
                txid: string;
                /** @description Index of the output in its transaction. */
                vout: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PairingCarrier"];
                };
            };
        };
    };
    listCheckpoints: {
        parameters: {
            query?: {
                /** @description Maximum number of entries; a value out of range is rejected, not clamped. */
                limit?: number;
                /** @description Where the list continues: an opaque value from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description the checkpoints */
                        items: components["schemas"]["CheckpointTuple"][];
                    };
                };
            };
        };
    };
    readEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Hex in either case; answers use lowercase. */
                txid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description id of the transaction */
                        txid: string;
                        /** @description its events, in order */
                        events: components["schemas"]["PairingEvent"][];
                    };
                };
            };
        };
    };
    readTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Hex in either case; answers use lowercase. */
                txid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PairingTransaction"];
                };
            };
        };
    };
    proveObject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Hex in either case; answers use lowercase. */
                objectKey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PairingProof"];
                };
            };
        };
    };
    proveCarrier: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Hex in either case; answers use lowercase. */
                txid: string;
                /** @description Index of the output in its transaction. */
                vout: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PairingProof"];
                };
            };
        };
    };
    proveEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Hex in either case; answers use lowercase. */
                txid: string;
                /** @description Any integer; no event has a negative one. */
                eventIndex: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PairingProof"];
                };
            };
        };
    };
    readVerifiedObject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Hex in either case; answers use lowercase. */
                objectKey: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description the answer */
                        data: components["schemas"]["PairingObject"];
                        /** @description the checkpoint that both pipelines have signed */
                        agreement: components["schemas"]["VerifiedAgreement"];
                    };
                };
            };
        };
    };
    searchVerified: {
        parameters: {
            query: {
                /** @description A prefix of an object key, txid or outpoint, an address, or part of a label. */
                q: string;
                /** @description Maximum number of entries; a value out of range is rejected, not clamped. */
                limit?: number;
                /** @description Where the list continues: an opaque value from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description the answer */
                        data: components["schemas"]["SearchResults"];
                        /** @description the checkpoint that both pipelines have signed */
                        agreement: components["schemas"]["VerifiedAgreement"];
                    };
                };
            };
        };
    };
    listVerifiedCarriers: {
        parameters: {
            query?: {
                /** @description Maximum number of entries; a value out of range is rejected, not clamped. */
                limit?: number;
                /** @description Where the list continues: an opaque value from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description A bech32 P2WSH address on the network of the deployment. */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description the answer */
                        data: components["schemas"]["AddressCarriers"];
                        /** @description the checkpoint that both pipelines have signed */
                        agreement: components["schemas"]["VerifiedAgreement"];
                    };
                };
            };
        };
    };
    readAgreement: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Any integer; negative heights have no checkpoint. */
                height: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgreementEnvelope"];
                };
            };
        };
    };
    readPairingReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadinessSnapshot"];
                };
            };
        };
    };
    listDivergences: {
        parameters: {
            query?: {
                /** @description Maximum number of entries; a value out of range is rejected, not clamped. */
                limit?: number;
                /** @description Where the list continues: an opaque value from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description the differences */
                        items: {
                            /**
                             * @description the first of the nine compared fields that differs
                             * @enum {string}
                             */
                            field: "deployment" | "network" | "height" | "blockHash" | "previousCheckpointHash" | "objectsRoot" | "carriersRoot" | "eventsRoot" | "checkpointHash";
                            /** @description the height asked for */
                            height: number;
                            /** @description signed, as the other one, with a key trusted at the time */
                            own: components["schemas"]["AgreementEnvelope"];
                            /** @description what the other pipeline signed */
                            peer: components["schemas"]["AgreementEnvelope"];
                            /**
                             * Format: date-time
                             * @description when the difference was seen first (RFC 3339)
                             */
                            firstSeenAt: string;
                        }[];
                    };
                };
            };
        };
    };
    probePairing: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadinessSnapshot"];
                };
            };
        };
    };
    readSnapshot: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CircleSnapshot"];
                };
            };
        };
    };
    readState: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CircleState"];
                };
            };
        };
    };
    listStates: {
        parameters: {
            query?: {
                /** @description Maximum number of entries; a value out of range is rejected, not clamped. */
                limit?: number;
                /** @description Where the list continues: an opaque value from the `Link` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description the states, newest first */
                        items: components["schemas"]["CircleState"][];
                    };
                };
            };
        };
    };
    readLineage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Hex in either case; answers use lowercase. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lineage"];
                };
            };
        };
    };
    readCircle: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Hex in either case; answers use lowercase. */
                txid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Circle"];
                };
            };
        };
    };
    readShard: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `txid:vout`, the txid in hex in either case. */
                outpoint: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Shard"];
                };
            };
        };
    };
    readSnapshotSchema: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/schema+json": {
                        [key: string]: unknown;
                    };
                };
            };
        };
    };
}
/** Every `code` of an ErrorResponse. */
export type ErrorCode =
    | "ASSET_INDEX_UNAVAILABLE"
    | "BAD_REQUEST"
    | "BUILD_REFUSED"
    | "CONTENT_NOT_FOUND"
    | "CONTENT_NOT_SHOWN"
    | "HEADERS_TOO_LARGE"
    | "HISTORY_UNAVAILABLE"
    | "IDEMPOTENCY_KEY_IN_USE"
    | "IDEMPOTENCY_KEY_REUSED"
    | "INTERNAL"
    | "INVALID_CURSOR"
    | "INVALID_EVENT"
    | "INVALID_IDEMPOTENCY_KEY"
    | "INVALID_PROOF"
    | "INVALID_PSBT"
    | "INVALID_TRANSACTION"
    | "MARKET_DISABLED"
    | "MARKET_RATE_LIMITED"
    | "METHOD_NOT_ALLOWED"
    | "NODE_UNAVAILABLE"
    | "NOT_FOUND"
    | "NOT_READY"
    | "OFFSET_NOT_SUPPORTED"
    | "OPERATION_REFUSED"
    | "ORDER_HIDDEN"
    | "ORDER_NOT_FOUND"
    | "ORDER_NOT_LIVE"
    | "ORDER_NOT_PROVED"
    | "ORDER_NOT_READY"
    | "ORDER_NOT_WITHDRAWABLE"
    | "ORDER_WITHDRAWN"
    | "OVERLOADED"
    | "PAYLOAD_TOO_LARGE"
    | "PSBT_TOO_LARGE"
    | "PUBLISH_REFUSED"
    | "QUOTE_REFUSED"
    | "RANGE_NOT_SATISFIABLE"
    | "REQUEST_TIMEOUT"
    | "SELF_SPEND_REFUSED"
    | "SHUTTING_DOWN"
    | "STILL_BEING_VERIFIED"
    | "STORAGE_UNAVAILABLE"
    | "TOO_MANY_CLAIMS"
    | "UNAUTHORIZED"
    | "UNSUPPORTED_MEDIA_TYPE"
    | "UNSUPPORTED_PROOF"
    | "URI_TOO_LONG"
    | "VALIDATION_FAILED"
    | "WEBHOOKS_NOT_CONFIGURED"
    | "WRONG_NETWORK";
