// Generated from docs/openapi.json by `npm run docs`; a test compares it.

export interface paths {
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
         * @description Every ask of the output that was ever seen, newest first: open, closed to make room, withdrawn and hidden ones too, each with its signed price and whether anyone with the PSBT can take the output for it. `lowest` is the lowest such price over all pages. `bids` are those that the output pays for, the newest 50. Only a block that spends the output ends them. Nothing that a sender wrote is shown.
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
         * @description An unsigned, replaceable PSBT that moves the output to an address of its owner. Every asset goes with it: if one would be lost to the fee, it is refused. The fee is taken from the end of the output, half of it at most, or paid by `fundingUtxos`, which must be known to be empty. Nothing is stored or broadcast; an Idempotency-Key is ignored.
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
         * @description The unspent outputs of an address, as the index knows them: at most 100, those with inscriptions first, then the largest. Each is examined as `checkOutputs` does it: a wallet is offered what it may sell (`holds_inscription` alone is against it) and what it may pay with (`safe`). The index must follow addresses (`ord --index-addresses`).
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
         * @description Of each partition of the log what its readers have left to read, and its watermark; the state of each feed; the dead letters of the inbox; and the build of the process that answers. `market lag` and `market dlq` print the same, and the latter retries letters.
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
         * @description For a day the previous secret signs every delivery, too; five may sign at once. Only this answer shows the new one, and its repeat: under the same Idempotency-Key, or with the same `secretVersion`, the number of the secret that is to be replaced.
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
         * @description Makes a new secret, which only this answer shows. Those before it are accepted for a day, or for `previousForSeconds`: 0 ends a key that has leaked. Five are accepted at a time. An Idempotency-Key is ignored.
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
         * @description No secret of it is accepted any more, at every gateway within moments. The answer is the key as it was.
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
         * @description Server-sent events. A new stream begins with `snapshot`, the orders that match now; each `change` after it is one change of one order, sent once and in the order of that order’s changes. A client that reconnects with the `id` of its last event as `Last-Event-ID`, as EventSource does, resumes after it, at any gateway. `heartbeat` comes after 10 s without a change. `resync-required` ends a stream that cannot continue without a gap: open a new one. A client that reads nothing for 30 s is disconnected, and a stream ends after an hour. The schema is that of the `data` of each event.
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
            id: string;
            orderId: string;
            fromState: components["schemas"]["OrderState"] | null;
            toState: components["schemas"]["OrderState"];
            reason: string;
            actor: string;
            /** Format: date-time */
            observedAt: string;
        };
        ActivityPage: {
            entries: components["schemas"]["ActivityEntry"][];
            limit: number;
            nextCursor: string;
            hasMore: boolean;
        };
        AddressCarriers: {
            address: string;
            carriers: components["schemas"]["PairingCarrier"][];
        };
        AgreementEnvelope: {
            /** @enum {string} */
            pipeline: "A" | "B";
            keyId: string;
            tuple: components["schemas"]["CheckpointTuple"];
            release: {
                name: string;
                version: string;
                commit: string;
                digest: string;
            };
            signature: string;
        };
        AssetClaim: {
            inscriptionId: string;
            outpoint: components["schemas"]["Outpoint"];
            inscriptionNumber?: number;
        };
        Authorisation: {
            orderId: string;
            state: components["schemas"]["OrderState"];
            reason: string;
            signedPriceSats: string | null;
            digest: string;
            hidden: boolean;
            /** Format: date-time */
            firstSeenAt: string;
            /** Format: date-time */
            lastSeenAt: string;
            closedAt: string | null;
            takeable: components["schemas"]["Takeable"];
            notBefore: components["schemas"]["NotBefore"] | null;
            version: number;
            locktime: number;
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
            body: components["schemas"]["OrderSummary"] | components["schemas"]["ErrorResponse"];
        };
        BlockRef: {
            height: number;
            hash: string;
        };
        BuildAskResult: {
            psbt: string;
            inspection: components["schemas"]["PsbtInspection"];
            outpoint: components["schemas"]["Outpoint"];
            nodeTip: components["schemas"]["BlockRef"];
            protocolId: string;
            /** @enum {string} */
            builderProfile: "OPEN_ASK" | "EXTERNAL_PSBT" | "EXTERNAL_SETTLEMENT";
        };
        BundledChange: {
            record: components["schemas"]["ChangeRecord"];
        } | components["schemas"]["WithheldChange"];
        BundledOrder: {
            outpoint: string;
            state: components["schemas"]["OrderState"];
            reason: string;
            seq: number;
            hash: string;
            claim: {
                inspection: components["schemas"]["PsbtInspection"];
                offer: components["schemas"]["Offer"];
                claimedPrevout: components["schemas"]["TxOut"] | null;
                source: components["schemas"]["SourceEvidence"];
                claimedInscription?: {
                    inscriptionId: string;
                    txid?: string;
                };
                protocolId?: string;
                token?: string;
                /** @constant */
                published?: true;
                notes: string[];
            };
            outputBlock: components["schemas"]["BlockRef"] | null;
            indexProof: components["schemas"]["IndexProof"] | null;
            spend: components["schemas"]["Spend"] | null;
            settlement: components["schemas"]["Settlement"] | null;
        };
        Catalog: components["schemas"]["ProtocolTemplate"][];
        CheckedOutput: {
            outpoint: components["schemas"]["Outpoint"];
            safe: boolean;
            output: components["schemas"]["TxOut"] | null;
            height: number | null;
            troubles: components["schemas"]["OutputTrouble"][];
        };
        ChangeRecord: {
            /** @constant */
            schema: 1;
            /** @enum {string} */
            kind: "transition" | "verified" | "noted";
            orderId: string;
            outpoint: string;
            seq: number;
            fromState: components["schemas"]["OrderState"] | null;
            toState: components["schemas"]["OrderState"];
            reason: string;
            actor: string;
            operator?: string;
            proof?: {
                address: string;
                message: string;
                signature: string;
                /** Format: date-time */
                provedAt: string;
            };
            /** Format: date-time */
            observedAt: string;
            cause: {
                partition: number;
                offset: number;
                kind: string;
                requestId?: string;
                told?: number;
            };
            evidence: components["schemas"]["Evidence"] | null;
            set: {
                id?: string;
                network?: components["schemas"]["Network"];
                outpoint?: string;
                state?: components["schemas"]["OrderState"];
                reason?: string;
                seq?: number;
                hash?: string | null;
                kept?: components["schemas"]["OfferClaim"];
                claims?: components["schemas"]["OfferClaim"][];
                sources?: components["schemas"]["SourceEvidence"][];
                sourcesDropped?: number;
                notes?: string[];
                assets?: components["schemas"]["AssetClaim"][];
                validation?: components["schemas"]["Validation"];
                anchor?: {
                    tip: components["schemas"]["BlockRef"];
                    mempoolSequence: number | null;
                    index: {
                        height: number;
                        hash: string;
                        version: string;
                    } | null;
                    watermark: {
                        epoch: number;
                        n: number;
                    } | null;
                    /** @constant */
                    ahead?: true;
                    /** @constant */
                    unheard?: true;
                } | null;
                verifiedAt?: string | null;
                /** @constant */
                proved?: true;
                metadataFixed?: boolean;
                protocolId?: string;
                token?: string;
                /** @enum {string} */
                side?: "ASK" | "BID";
                quotedPriceSats?: string;
                sellerScriptHex?: string;
                settlement?: components["schemas"]["Settlement"];
                withdrawal?: components["schemas"]["Withdrawal"];
                hidden?: {
                    /** Format: date-time */
                    hiddenAt: string;
                    reason?: string;
                };
                outputBlock?: components["schemas"]["BlockRef"] | null;
                indexProof?: components["schemas"]["IndexProof"] | null;
                spend?: components["schemas"]["Spend"] | null;
                attempt?: number;
                pending?: {
                    attempt: number;
                    begunAt: {
                        epoch: number;
                        n: number;
                    } | null;
                    mempoolSequence: number | null;
                    touched: boolean;
                    asked: number;
                    requests: {
                        requestId: string;
                        /** @enum {string} */
                        kind: "import" | "revalidate";
                    }[];
                    late: {
                        requestId: string;
                        /** @enum {string} */
                        kind: "import" | "revalidate";
                    }[];
                    /** @enum {string} */
                    purpose: "import" | "request" | "recheck" | "audit";
                    /** @constant */
                    awaitsChain?: true;
                } | null;
                closedAt?: string | null;
                /** Format: date-time */
                createdAt?: string;
                /** Format: date-time */
                updatedAt?: string;
            };
            unset: string[];
            prevHash: string | null;
            hash: string;
        };
        CheckpointTuple: {
            deployment: string;
            network: string;
            height: string;
            blockHash: string;
            previousCheckpointHash: string;
            objectsRoot: string;
            carriersRoot: string;
            eventsRoot: string;
            checkpointHash: string;
        };
        Circle: {
            txid: string;
            wtxid: string;
            contextHash: string;
            participantCount: number;
            feeSats: string;
            blockHeight: number;
            blockHash: string;
            transactionIndex: number;
            members: components["schemas"]["Member"][];
        };
        CircleSnapshot: {
            /** @constant */
            protocol: "circles";
            /** @constant */
            version: 1;
            revision: number;
            lineages: components["schemas"]["Lineage"][];
            shards: components["schemas"]["Shard"][];
            circles: components["schemas"]["Circle"][];
            edges: components["schemas"]["Edge"][];
        };
        CircleState: {
            revision: number;
            stateHash: string;
            height: number | null;
            blockHash: string | null;
        };
        DisputeBundle: {
            /** @constant */
            format: "market-dispute/1";
            network: components["schemas"]["Network"];
            orderId: string;
            order: components["schemas"]["BundledOrder"];
            artifact: {
                digest: string;
                psbt: string | null;
                withheld: ("not_live" | "stale") | null;
            };
            changes: components["schemas"]["BundledChange"][];
            proofs: {
                output: components["schemas"]["TransactionProof"] | null;
                spend: components["schemas"]["TransactionProof"] | null;
                headers: {
                    hash: string;
                    header: string;
                }[];
            };
            sha256: string;
            /** @description of the service that made it; absent: it has no BUNDLE_KEY */
            signature?: {
                /** @description x-only (BIP 340) */
                publicKey: string;
                signature: string;
            };
        };
        Edge: {
            fromCircle: string;
            toCircle: string;
            lineageId: string;
            viaOutpoint: string;
        };
        ErrorResponse: {
            statusCode: number;
            error: string;
            message: string | string[];
            requestId?: string;
            code?: string;
        };
        ExposedOutput: {
            /** @enum {string} */
            status: "UNSPENT" | "UNCONFIRMED" | "SPENT_IN_MEMPOOL" | "SPENT" | "UNKNOWN";
            output: components["schemas"]["TxOut"] | null;
            block: components["schemas"]["BlockRef"] | null;
            spentBy: {
                txid: string;
                block: components["schemas"]["BlockRef"] | null;
            } | null;
        };
        Exposure: {
            outpoint: string;
            network: components["schemas"]["Network"];
            output: components["schemas"]["ExposedOutput"];
            lowest: {
                now: components["schemas"]["LowestPrice"] | null;
                ever: components["schemas"]["LowestPrice"] | null;
                complete: boolean;
            };
            authorisations: components["schemas"]["Authorisation"][];
            bids: {
                newest: components["schemas"]["PaidBid"][];
                total: number;
            };
            unproved: components["schemas"]["Authorisation"][];
            total: number;
            limit: number;
            nextCursor: string;
            hasMore: boolean;
            nodeTip: components["schemas"]["BlockRef"];
            /** Format: date-time */
            observedAt: string;
            notices: components["schemas"]["Notice"][];
        };
        Evidence: {
            begunAt: {
                epoch: number;
                n: number;
            } | null;
            mempoolSequence: number | null;
            /** Format: date-time */
            askedAt: string;
            /** Format: date-time */
            answeredAt: string;
            node: components["schemas"]["NodeEvidence"];
            index: components["schemas"]["IndexEvidence"];
        };
        HealthReport: {
            ok: boolean;
            /** @constant */
            service: "market";
            enabled: boolean;
            defaultEnabled: boolean;
            network: components["schemas"]["Network"];
            /** @enum {string} */
            status: "active" | "degraded" | "disabled";
            /** @constant */
            featureFlag: "MARKET_ENABLED";
            coreConfigured: boolean;
            assetIndexConfigured: boolean;
            configurationComplete: boolean;
            /** @constant */
            signsOrBroadcasts: false;
            /** @constant */
            spendsFunds: false;
            supportedSources: components["schemas"]["Source"][];
            storageWritable: boolean;
            readyForBitcoinListings: boolean;
            maxVerificationAgeSeconds: number;
            listingReadiness: components["schemas"]["ListingReadiness"];
        };
        IndexEvidence: {
            /** @constant */
            status: "unavailable";
            /** @enum {string} */
            reason: "asset_index_unconfigured" | "asset_index_unreachable" | "asset_index_behind" | "asset_index_reorged" | "asset_index_malformed" | "asset_index_not_asked";
        } | {
            /** @constant */
            status: "ready";
            at: {
                height: number;
                hash: string;
                version: string;
            };
            indexed: boolean;
            inscriptions: {
                id: string;
                number: number;
                offset: string;
            }[] | null;
            runes: {
                name: string;
                amount: string;
            }[] | null;
        };
        IndexProof: {
            /** @constant */
            status: "ready";
            at: {
                height: number;
                hash: string;
                version: string;
            };
            indexed: boolean;
            inscriptions: {
                id: string;
                number: number;
                offset: string;
            }[] | null;
            runes: {
                name: string;
                amount: string;
            }[] | null;
            begunAt: {
                epoch: number;
                n: number;
            } | null;
        };
        InspectedVerdict: {
            state: components["schemas"]["OrderState"];
            validation: components["schemas"]["Validation"];
            indexTip: components["schemas"]["BlockRef"] | null;
            assets: components["schemas"]["AssetClaim"][];
        };
        InspectionProblem: {
            code: string;
            /** @enum {string} */
            effect: "REFUSED" | "NOT_LIVE" | "NOTED";
            place: components["schemas"]["ProblemPlace"];
            message: string;
            remedy: string;
            details?: {
                [key: string]: string | number | string[];
            };
        };
        InspectResult: {
            network: components["schemas"]["Network"];
            /** @enum {string} */
            kind: "PSBT" | "TRANSACTION" | "EVENT";
            form: ("BASE64" | "HEX") | null;
            refusedAs: string | null;
            inspection: components["schemas"]["PsbtInspection"] | null;
            order: {
                id: string;
                exists: boolean;
                state: components["schemas"]["OrderState"] | null;
            } | null;
            problems: components["schemas"]["InspectionProblem"][];
            verdict: components["schemas"]["InspectedVerdict"] | null;
            repaired: {
                orderId: string;
                psbt: string;
                digest: string;
                mends: string[];
                verdict: components["schemas"]["InspectedVerdict"] | null;
            } | null;
            flow: components["schemas"]["PurchaseFlow"] | null;
        };
        InternalError: {
            /** @constant */
            statusCode: 500;
            /** @constant */
            message: "Internal server error";
        };
        Lineage: {
            lineageId: string;
            genesisOutpoint: string;
            currentOutpoint: string | null;
            /** @enum {string} */
            status: "active" | "closed";
            firstHeight: number;
            lastHeight: number;
            circleCount: number;
            closedByTxid: string | null;
        };
        ListingReadiness: {
            ready: boolean;
            reason: ("not_configured" | "storage_unavailable" | "core_unavailable_or_syncing" | "asset_index_unreachable" | "asset_index_behind" | "observation_timed_out") | null;
            coreHeight: number | null;
            assetIndexHeight: number | null;
            lagBlocks: number | null;
            maxLagBlocks: number;
            storageWritable: boolean;
            /** Format: date-time */
            checkedAt: string;
        };
        LowestPrice: {
            orderId: string;
            signedPriceSats: string;
            notBefore: components["schemas"]["NotBefore"] | null;
        };
        Member: {
            slot: number;
            lineageId: string;
            inputOutpoint: string;
            outputOutpoint: string;
            inputValueSats: string;
            outputValueSats: string;
            feeShareSats: string;
            wasExistingLineage: boolean;
        };
        MessageResponse: {
            message: string;
            error: string;
            statusCode: number;
        };
        /** @enum {string} */
        Network: "mainnet" | "regtest" | "signet";
        NodeEvidence: {
            /** @constant */
            status: "unavailable";
            /** @enum {string} */
            reason: "node_unconfigured" | "node_unavailable" | "node_unauthorized" | "node_warming_up" | "node_in_ibd" | "node_wrong_network" | "node_mempool_loading";
        } | {
            /** @constant */
            status: "ready";
            tip: {
                height: number;
                hash: string;
                medianTime: number;
            };
            coreVersion?: number;
            output: components["schemas"]["OutputEvidence"];
            funding: {
                outpoint: string;
                output: components["schemas"]["OutputEvidence"];
                signature: components["schemas"]["SignatureStatus"];
            }[];
            signatures: {
                digest: string;
                status: components["schemas"]["SignatureStatus"];
                reason: ("legacy_input" | "script_sig_missing" | "sighash_byte_missing_recoverable" | "sighash_not_single_anyonecanpay" | "signature_beyond_bound" | "signature_invalid" | "signature_unverifiable" | "witness_not_standard") | null;
                /** @enum {string} */
                by: "local" | "node" | "none";
            }[];
        };
        NostrEnvelope: {
            /** @constant */
            kind: 802;
            created_at: number;
            tags: string[][];
            content: string;
            notice: string;
        };
        NotBefore: {
            height: number;
        } | {
            medianTime: number;
        };
        Notice: {
            code: string;
            message: string;
        };
        Offer: {
            /** @enum {string} */
            side: "ASK" | "BID";
            sellerIndex: number;
            outpoint: string;
            version: number;
            locktime: number;
            sequences: number[];
            payouts: components["schemas"]["TxOut"][];
            funding: string[];
            unsignedTxid: string;
        };
        OfferClaim: {
            artifact: string;
            inspection: components["schemas"]["PsbtInspection"];
            offer: components["schemas"]["Offer"];
            claimedPrevout: components["schemas"]["TxOut"] | null;
            source: components["schemas"]["SourceEvidence"];
            claimedInscription?: {
                inscriptionId: string;
                txid?: string;
            };
            protocolId?: string;
            token?: string;
            /** @constant */
            published?: true;
            notes: string[];
        };
        OrderArtifact: {
            orderId: string;
            network: components["schemas"]["Network"];
            psbt: string;
            digest: string;
            inspection: components["schemas"]["PsbtInspection"];
            validation: components["schemas"]["Validation"];
            verification: components["schemas"]["VerificationView"];
            state: components["schemas"]["OrderState"];
            actionability: components["schemas"]["Actionability"];
            notices?: components["schemas"]["Notice"][];
        };
        /** @enum {string} */
        OrderClass: "ASK_ANYONECANPAY" | "BID_FULLY_FUNDED" | "UNSUPPORTED";
        OrderFacets: {
            /** @description orders that pass all filters */
            total: number;
            facets: {
                state: {
                    value: components["schemas"]["OrderState"];
                    count: number;
                }[];
                side: {
                    /** @enum {string} */
                    value: "ASK" | "BID";
                    count: number;
                }[];
                /** @description the markets of the catalog, each with its aliases; orders of other markets count in none */
                protocol: {
                    value: string;
                    count: number;
                }[];
                group: {
                    value: string;
                    count: number;
                }[];
                /** @description an order counts for each of its sources */
                source: {
                    value: components["schemas"]["Source"];
                    count: number;
                }[];
                orderClass: {
                    value: components["schemas"]["OrderClass"];
                    count: number;
                }[];
                safety: {
                    value: components["schemas"]["Safety"];
                    count: number;
                }[];
                signature: {
                    value: components["schemas"]["SignatureStatus"];
                    count: number;
                }[];
                /** @description as of the answer, which may be 5 s old */
                actionability: {
                    value: components["schemas"]["Actionability"];
                    count: number;
                }[];
            };
        };
        OrderPage: {
            orders: components["schemas"]["OrderSummary"][];
            total: number;
            limit: number;
            nextCursor: string;
            hasMore: boolean;
        };
        /** @enum {string} */
        OrderState: "PENDING_NODE" | "PENDING_ASSET" | "LIVE" | "MEMPOOL_CONFLICTED" | "SPENT" | "SETTLED" | "REJECTED" | "WITHDRAWN";
        OrderSummary: {
            id: string;
            network: components["schemas"]["Network"];
            inspection: components["schemas"]["PsbtInspection"];
            assets: components["schemas"]["AssetClaim"][];
            sources: components["schemas"]["SourceEvidence"][];
            state: components["schemas"]["OrderState"];
            actionability: components["schemas"]["Actionability"];
            validation: components["schemas"]["Validation"];
            sellerScriptHex?: string;
            settlement?: components["schemas"]["Settlement"];
            protocolId?: string;
            token?: string;
            /** @enum {string} */
            side?: "ASK" | "BID";
            quotedPriceSats?: string;
            withdrawal?: components["schemas"]["Withdrawal"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        OrderVersion: {
            seq: number;
            /** @enum {string} */
            kind: "transition" | "verified" | "noted";
            fromState: components["schemas"]["OrderState"] | null;
            state: components["schemas"]["OrderState"];
            reason: string;
            actor: string;
            cause: string | null;
            /** Format: date-time */
            observedAt: string;
            /** Format: date-time */
            inForceFrom: string;
            inForceUntil: string | null;
            outpoint: string;
            /** @description as told in this version; untrusted */
            protocolId: string | null;
            /** @description as told in this version; untrusted */
            token: string | null;
            side: ("ASK" | "BID") | null;
            /** @description the signed price: of an ask with the postage, of a bid without it */
            quotedPriceSats: string | null;
            inscriptionIds: string[];
            spendTxid: string | null;
            /** @description null: in the mempool, or not spent */
            spendHeight: number | null;
            settlementTxid: string | null;
            evidence: components["schemas"]["Evidence"] | null;
            hash: string | null;
            prevHash: string | null;
        };
        OrderVersionPage: {
            orderId: string;
            isWithheld: boolean;
            versions: components["schemas"]["OrderVersion"][];
            limit: number;
            nextCursor: string;
            hasMore: boolean;
        };
        Outpoint: {
            txid: string;
            vout: number;
        };
        AddressOutputs: {
            address: string;
            network: components["schemas"]["Network"];
            outputs: components["schemas"]["CheckedOutput"][];
            nodeTip: components["schemas"]["BlockRef"];
            indexTip: components["schemas"]["BlockRef"] | null;
            /** Format: date-time */
            observedAt: string;
            notices: components["schemas"]["Notice"][];
            total: number;
        };
        OutputsChecked: {
            network: components["schemas"]["Network"];
            outputs: components["schemas"]["CheckedOutput"][];
            nodeTip: components["schemas"]["BlockRef"];
            indexTip: components["schemas"]["BlockRef"] | null;
            /** Format: date-time */
            observedAt: string;
            notices: components["schemas"]["Notice"][];
        };
        OutputTrouble: {
            /** @enum {string} */
            code: "spent_in_mempool" | "spent_or_unknown" | "unconfirmed" | "coinbase_immature" | "spend_size_unknown" | "holds_inscription" | "holds_runes" | "offered" | "pays_for_bid" | "index_behind" | "not_examined" | "index_unavailable";
            message: string;
            subject?: string;
        };
        OutputEvidence: {
            /** @constant */
            status: "unspent";
            output: components["schemas"]["TxOut"];
            coinbase: boolean;
            block: components["schemas"]["BlockRef"] | null;
            priorMedianTime: number | null;
        } | {
            /** @constant */
            status: "spent";
            confirmed: boolean;
            output: components["schemas"]["TxOut"] | null;
            block: components["schemas"]["BlockRef"] | null;
            by: components["schemas"]["Spend"] | null;
        } | {
            /** @constant */
            status: "missing";
        };
        OwnershipChallenge: {
            orderId: string;
            address: string;
            message: string;
            /** Format: date-time */
            windowStart: string;
            /** Format: date-time */
            expiresAt: string;
        };
        PaidBid: {
            orderId: string;
            state: components["schemas"]["OrderState"];
            reason: string;
            outpoint: string;
            signedPriceSats: string | null;
            digest: string;
            hidden: boolean;
            /** Format: date-time */
            firstSeenAt: string;
            /** Format: date-time */
            lastSeenAt: string;
            closedAt: string | null;
        };
        PairingCarrier: {
            txid: string;
            vout: number;
            objectKey: string;
            address: string;
            scriptHex: string;
            valueSats: string;
            createdHeight: number;
            spentByTxid: string | null;
            spentHeight: number | null;
        };
        PairingEvent: {
            txid: string;
            eventIndex: number;
            height: number;
            blockHash: string;
            /** @enum {string} */
            kind: "object_created" | "carrier_moved" | "objects_paired" | "pair_dissolved" | "object_released";
            objectKey: string;
            from: string | null;
            to: string | null;
            pairId: string | null;
        };
        PairingObject: {
            objectKey: string;
            contentHash: string;
            label: string;
            /** @enum {string} */
            status: "active" | "released";
            carrier: string | null;
            address: string | null;
            pairId: string | null;
            pairedWith: string | null;
            createdTxid: string;
            createdHeight: number;
            eventCount: number;
        };
        PairingProof: {
            /** @constant */
            format: "pairing-proof-1";
            /** @enum {string} */
            kind: "object" | "carrier" | "event";
            /** @description as it was after the block of the checkpoint */
            record: components["schemas"]["PairingObject"] | components["schemas"]["PairingCarrier"] | components["schemas"]["PairingEvent"];
            /** @description of the record among `records`, from 0 */
            position: number;
            /** @description all records of this kind that the block changed, in the order of the root */
            records: (components["schemas"]["PairingObject"] | components["schemas"]["PairingCarrier"] | components["schemas"]["PairingEvent"])[];
            /** @description the same root of the block below, which this one is chained to; null for events, which are not */
            previousRoot: string | null;
            checkpoint: components["schemas"]["CheckpointTuple"];
            /** @description the checkpoint as this pipeline has signed it; null without a signing boundary */
            envelope: components["schemas"]["AgreementEnvelope"] | null;
        };
        PairingTransaction: {
            txid: string;
            height: number;
            blockHash: string;
            transactionIndex: number;
            opcode: number | null;
            valid: boolean;
            reason: ("multiple_markers" | "unknown_opcode" | "malformed_body" | "bad_input" | "duplicate_input" | "bad_vout" | "duplicate_vout" | "not_p2wsh" | "input_not_carrier" | "already_paired" | "not_paired") | null;
        };
        PreflightResult: {
            finalTxHex?: string;
            orderId: string;
            allowed: boolean;
            /** @enum {string} */
            rejectReason?: "duplicate_input" | "offered_output_not_spent" | "authorisation_changed" | "payout_missing" | "payout_changed" | "input_missing" | "outputs_exceed_inputs" | "asset_to_fee" | "asset_to_payout" | "asset_burned" | "input_unconfirmed" | "input_not_indexed" | "input_holds_inscription" | "input_holds_runes" | "runes_burned" | "runes_to_payout" | "not_accepted_by_node";
            txid?: string;
            vsize?: number;
            feesSats?: string;
            /** Format: date-time */
            checkedAt: string;
            notices?: components["schemas"]["Notice"][];
        };
        ProbeReport: {
            /** @constant */
            ok: true;
        };
        ProblemPlace: {
            pointer: string;
            input?: number;
            output?: number;
        };
        ReadinessReport: {
            /** @constant */
            ok: true;
            /** @description Unavailable parts that this process can work without. */
            degraded: string[];
        };
        ReadinessSnapshot: {
            configurationValid: boolean;
            databaseAvailable: boolean;
            coreAvailable: boolean;
            coreNetworkMatches: boolean;
            coreInitialBlockDownload: boolean;
            nodeHeight: number | null;
            canonicalHeight: number | null;
            checkpointHeight: number | null;
            maxBlockLag: number;
            signerConfigured: boolean;
            ready: boolean;
            reasons: ("configuration_invalid" | "database_unavailable" | "bitcoin_core_unavailable" | "bitcoin_network_mismatch" | "bitcoin_core_initial_block_download" | "node_height_unknown" | "canonical_tip_missing" | "block_lag_exceeded" | "checkpoint_incomplete" | "agreement_signer_unavailable")[];
        };
        ProtocolContract: {
            /** @constant */
            name: "Market";
            settlement: string;
            sourceOfTruth: string;
            supportedProfiles: ("OPEN_ASK" | "EXTERNAL_PSBT" | "EXTERNAL_SETTLEMENT")[];
            orderTemplates: {
                ASK_ANYONECANPAY: {
                    /** @enum {string} */
                    side: "ASK" | "BID";
                    signedBy: string;
                    sighash: string[];
                    commitsTo: string[];
                    completedBy: string;
                    safety: components["schemas"]["Safety"][];
                };
                BID_FULLY_FUNDED: {
                    /** @enum {string} */
                    side: "ASK" | "BID";
                    signedBy: string;
                    sighash: string[];
                    commitsTo: string[];
                    completedBy: string;
                    safety: components["schemas"]["Safety"][];
                };
            };
            safety: {
                /**
                 * @description no transaction
                 * @constant
                 */
                signsOrBroadcasts: false;
                /** @constant */
                spendsFunds: false;
                artifactReleasedIn: components["schemas"]["OrderState"][];
                maxVerificationAgeSeconds: number;
                withdrawal: string;
                replacement: string;
                claims: string;
                /** @description x-only public key (BIP 340) that signs bundles of orders; null: they are not signed */
                bundleKey: string | null;
            };
            nostr: {
                /** @constant */
                kind: 802;
                network: components["schemas"]["Network"];
                /** @constant */
                holdsKeys: false;
                /** @constant */
                publishes: false;
                tags: {
                    [key: string]: string;
                };
                content: string;
            };
        };
        ProtocolTemplate: {
            id: string;
            label: string;
            route: string;
            /** @enum {string} */
            family: "bitcoin" | "dogecoin" | "counterparty";
            /** @enum {string} */
            capability: "PSBT_HANDOFF" | "EXTERNAL_SETTLEMENT";
            /** @enum {string} */
            builderProfile: "OPEN_ASK" | "EXTERNAL_PSBT" | "EXTERNAL_SETTLEMENT";
            /** @enum {string} */
            assetRequirement: "INSCRIPTION" | "OUTPOINT" | "NONE";
            templateLabel: string;
            templateGuidance: string;
            verificationScope: string;
            capabilities: {
                browse: boolean;
                createListing: boolean;
                verifyAssetSemantics: boolean;
                reviewOnlyHandoff: boolean;
                externalSettlement: boolean;
                sourceIngestion: boolean;
                mediaResolution: boolean;
            };
            groupId: string;
            groupLabel: string;
            groupOrder: number;
            displayOrder: number;
            aliasOf?: string;
        };
        PsbtInspection: {
            psbtVersion: number;
            unsignedTxid: string;
            digest: string;
            inputCount: number;
            outputCount: number;
            inputOutpoints: components["schemas"]["Outpoint"][];
            inputWitnessUtxos: (components["schemas"]["TxOut"] | null)[];
            outputValuesSats: string[];
            outputScriptsHex: string[];
            hasProprietaryFields: boolean;
            hasUnknownFields: boolean;
            signatureStatus: components["schemas"]["SignatureStatus"];
            orderClass: components["schemas"]["OrderClass"];
            safety: components["schemas"]["Safety"];
            reasons: string[];
        };
        PurchaseFlow: {
            /** @enum {string} */
            side: "ASK" | "BID";
            /** @enum {string} */
            valueFrom: "NODE" | "PSBT";
            sellerInputSats: string;
            postageSats: string;
            payoutSats: string;
            grossPriceSats: string;
            netPriceSats: string;
            marketplaceFeeSats: string;
            creatorRoyaltySats: string;
            /** @constant */
            networkFeePaidBy: "BUYER";
            networkFeeSats?: string;
        };
        Quote: {
            orderId: string;
            network: components["schemas"]["Network"];
            psbt: string;
            sellerIndex: number;
            asset: components["schemas"]["AssetClaim"] | null;
            assetReceiveAddress: string;
            paymentAddress: string;
            sellerPaymentScriptHex: string;
            assetValueSats: string;
            sellerProceedsSats: string;
            marketplaceFeeSats: string;
            creatorRoyaltySats: string;
            networkFeeSats: string;
            feeRateSatsPerVb: string;
            estimatedVbytes: string;
            changeSats: string;
            paddingSats: string;
            totalBuyerCostSats: string;
            inputOutpoints: components["schemas"]["Outpoint"][];
            outputScriptsHex: string[];
            outputValuesSats: string[];
            checkpoint: {
                height: number;
                hash: string;
                assetIndexHeight: number;
            };
            /** Format: date-time */
            observedAt: string;
            /** Format: date-time */
            expiresAt: string;
            notices?: components["schemas"]["Notice"][];
        };
        /** @enum {string} */
        Safety: "PUBLIC_RACEABLE" | "TARGETED_REVIEW" | "UNSUPPORTED";
        SearchResult: {
            /** @enum {string} */
            kind: "object" | "carrier" | "transaction" | "address";
            key: string;
            label?: string;
        };
        SearchResults: {
            query: string;
            results: components["schemas"]["SearchResult"][];
        };
        SelfSpend: {
            outpoint: string;
            network: components["schemas"]["Network"];
            psbt: string;
            authorisations: number;
            destinationAddress: string;
            inputOutpoints: components["schemas"]["Outpoint"][];
            outputScriptsHex: string[];
            outputValuesSats: string[];
            networkFeeSats: string;
            feeRateSatsPerVb: string;
            estimatedVbytes: string;
            changeSats: string;
            inscriptions: {
                id: string;
                offset: string;
            }[];
            checkpoint: {
                height: number;
                hash: string;
                assetIndexHeight: number;
            };
            /** Format: date-time */
            observedAt: string;
            notices: components["schemas"]["Notice"][];
        };
        Settlement: {
            txid: string;
            /** Format: date-time */
            observedAt: string;
            confirmations: number;
            /** Format: date-time */
            confirmedAt?: string;
        };
        Shard: {
            outpoint: string;
            lineageId: string;
            scriptPubKey: string;
            valueSats: string;
            createdByCircle: string;
            previousOutpoint: string;
            createdHeight: number;
            spentByTxid: string | null;
            spentHeight: number | null;
        };
        /** @enum {string} */
        SignatureStatus: "NONE" | "VALID" | "INVALID" | "UNAVAILABLE";
        /** @enum {string} */
        Source: "portable-nostr802" | "asset-offers" | "direct-import";
        SourceEvidence: {
            source: components["schemas"]["Source"];
            sourceId: string;
            /** Format: date-time */
            observedAt: string;
            eventId?: string;
            eventPubkey?: string;
            signatureVerified?: boolean;
            claimedPriceSats?: string;
            claimedAsset?: components["schemas"]["AssetClaim"];
        };
        Spend: {
            txid: string;
            inputIndex: number;
            unsignedTxid: string;
            pairedOutput: components["schemas"]["TxOut"] | null;
            block: {
                height: number;
                hash: string;
                time: number;
            } | null;
        };
        /** @description One change of one order. */
        StreamChange: {
            orderId: string;
            seq: number;
            /** Format: date-time */
            observedAt: string;
            /** @description the change of state, as in the activity; null if the state is unchanged */
            entry: components["schemas"]["ActivityEntry"] | null;
            /** @description the order as it is when this is sent, at this change or a later one; null if the filters do not list it (any longer) */
            order: components["schemas"]["OrderSummary"] | null;
        };
        /** @description The stream ends, since it cannot continue without a gap: begin again without a cursor. `too_old`: more changes happened since than are kept; `other_log`: the cursor is from another log; `views_behind`: the order views have not caught up. */
        StreamEnd: {
            /** @enum {string} */
            reason: "too_old" | "other_log" | "views_behind";
        };
        /** @description Nothing changed; its id is a place to resume from. */
        StreamHeartbeat: {
            /** Format: date-time */
            at: string;
        };
        /** @description The orders that match now, newest first. */
        StreamSnapshot: {
            orders: components["schemas"]["OrderSummary"][];
            total: number;
            hasMore: boolean;
        };
        /** @enum {string} */
        Takeable: "NOW" | "LATER" | "ENDED" | "UNPROVED";
        TransactionProof: {
            txid: string;
            block: components["schemas"]["BlockRef"];
            transaction: string;
            proof: string;
        };
        TxOut: {
            valueSats: string;
            scriptHex: string;
        };
        Validation: {
            /** Format: date-time */
            checkedAt: string;
            /** @enum {string} */
            nodeStatus: "UNCONFIGURED" | "READY" | "UNAVAILABLE" | "OUTPOINT_MISSING" | "OUTPOINT_SPENT";
            /** @enum {string} */
            assetStatus: "NOT_REQUESTED" | "UNCONFIGURED" | "VERIFIED" | "MISMATCH" | "UNAVAILABLE";
            nodeTip?: components["schemas"]["BlockRef"];
            reasons: string[];
        };
        /** @description The pipelines have not signed the same checkpoint. This is a state, not an error: keep the last verified value with its age, retry after a few seconds, and do not use the direct answer instead. */
        VerificationUnavailable: {
            /** @constant */
            status: "verification_unavailable";
            /** @constant */
            error: "verification_unavailable";
        };
        VerificationView: {
            /** Format: date-time */
            checkedAt: string;
            ageSeconds: number;
            maxAgeSeconds: number;
            stale: boolean;
        };
        VerifiedAgreement: {
            height: number;
            blockHash: string;
            checkpointHash: string;
            keyIds: {
                A: string;
                B: string;
            };
        };
        Withdrawal: {
            /** Format: date-time */
            withdrawnAt: string;
            reason?: string;
        };
        WithheldChange: {
            /** @enum {string} */
            withheld: "artifact" | "operator" | "size";
            seq: number;
            /** @enum {string} */
            kind: "transition" | "verified" | "noted";
            fromState: components["schemas"]["OrderState"] | null;
            toState: components["schemas"]["OrderState"];
            reason: string;
            actor: string;
            /** Format: date-time */
            observedAt: string;
            evidence: components["schemas"]["Evidence"] | null;
            prevHash: string | null;
            hash: string;
        };
        BuildAskRequest: {
            protocolId: string;
            token: string;
            quotedPriceSats: string | number;
            sellerPaymentAddress: string;
            asset?: {
                inscriptionId: string;
                outpoint: {
                    txid: string;
                    vout: number;
                };
                inscriptionNumber?: number;
            };
            outpoint?: {
                txid: string;
                vout: number;
            };
        };
        CheckOutputsRequest: {
            outpoints: {
                txid: string;
                vout: number;
            }[];
        };
        ImportRequest: {
            psbt: string;
            /** @enum {string} */
            source?: "portable-nostr802" | "asset-offers" | "direct-import";
            sourceId?: string;
            asset?: {
                inscriptionId: string;
                outpoint: {
                    txid: string;
                    vout: number;
                };
                inscriptionNumber?: number;
            };
            claimedPriceSats?: string | number;
            protocolId?: string;
            token?: string;
            /** @enum {string} */
            side?: "ASK" | "BID";
            quotedPriceSats?: string | number;
        };
        InspectRequest: {
            psbt?: string;
            transaction?: string;
            event?: components["schemas"]["NostrEvent"];
            /** @enum {string} */
            source?: "portable-nostr802" | "asset-offers" | "direct-import";
            sourceId?: string;
            asset?: {
                inscriptionId: string;
                outpoint: {
                    txid: string;
                    vout: number;
                };
                inscriptionNumber?: number;
            };
            claimedPriceSats?: string | number;
            protocolId?: string;
            token?: string;
            /** @enum {string} */
            side?: "ASK" | "BID";
            quotedPriceSats?: string | number;
        } & (unknown | unknown | unknown);
        NostrEvent: {
            id: string;
            pubkey: string;
            created_at: number;
            kind: number;
            tags: string[][];
            content: string;
            sig: string;
        };
        OwnershipProof: {
            address: string;
            signature: string;
            reason?: string;
        };
        PreflightRequest: {
            finalTxHex?: string;
            signedPsbt?: string;
        } & (unknown | unknown);
        PublishAskRequest: {
            psbt: string;
        };
        QuoteRequest: {
            assetReceiveAddress: string;
            paymentAddress: string;
            paddingUtxos: {
                txid: string;
                vout: number;
            }[];
            fundingUtxos: {
                txid: string;
                vout: number;
            }[];
            feeRateSatsPerVb?: string | number;
        };
        SelfSpendRequest: {
            destinationAddress: string;
            feeRateSatsPerVb?: string | number;
            fundingUtxos?: {
                txid: string;
                vout: number;
            }[];
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
export type PreflightRequest = components['schemas']['PreflightRequest'];
export type PublishAskRequest = components['schemas']['PublishAskRequest'];
export type QuoteRequest = components['schemas']['QuoteRequest'];
export type SelfSpendRequest = components['schemas']['SelfSpendRequest'];
export type $defs = Record<string, never>;
export interface operations {
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
                state?: "PENDING_NODE" | "PENDING_ASSET" | "LIVE" | "MEMPOOL_CONFLICTED" | "SPENT" | "SETTLED" | "REJECTED" | "WITHDRAWN";
                /** @description any of these states, comma separated; withdrawn or rejected orders are listed where their state is among them */
                states?: string;
                /** @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review */
                actionability?: "REVIEW_ONLY" | "HANDOFF_READY" | "BLOCKED";
                safety?: "PUBLIC_RACEABLE" | "TARGETED_REVIEW" | "UNSUPPORTED";
                orderClass?: "ASK_ANYONECANPAY" | "BID_FULLY_FUNDED" | "UNSUPPORTED";
                signature?: "NONE" | "VALID" | "INVALID" | "UNAVAILABLE";
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
                /** @description orders whose `updatedAt` is this time or later; that they become stale is no update */
                updatedSince?: string;
                /** @description a prefix of an order id, an inscription id or number, a txid, a seller’s address, a market or a word of the token */
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
                state?: "PENDING_NODE" | "PENDING_ASSET" | "LIVE" | "MEMPOOL_CONFLICTED" | "SPENT" | "SETTLED" | "REJECTED" | "WITHDRAWN";
                /** @description any of these states, comma separated; withdrawn or rejected orders are listed where their state is among them */
                states?: string;
                /** @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review */
                actionability?: "REVIEW_ONLY" | "HANDOFF_READY" | "BLOCKED";
                safety?: "PUBLIC_RACEABLE" | "TARGETED_REVIEW" | "UNSUPPORTED";
                orderClass?: "ASK_ANYONECANPAY" | "BID_FULLY_FUNDED" | "UNSUPPORTED";
                signature?: "NONE" | "VALID" | "INVALID" | "UNAVAILABLE";
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
                /** @description orders whose `updatedAt` is this time or later; that they become stale is no update */
                updatedSince?: string;
                /** @description a prefix of an order id, an inscription id or number, a txid, a seller’s address, a market or a word of the token */
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
                state?: "PENDING_NODE" | "PENDING_ASSET" | "LIVE" | "MEMPOOL_CONFLICTED" | "SPENT" | "SETTLED" | "REJECTED" | "WITHDRAWN";
                /** @description any of these states, comma separated; withdrawn or rejected orders are listed where their state is among them */
                states?: string;
                /** @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review */
                actionability?: "REVIEW_ONLY" | "HANDOFF_READY" | "BLOCKED";
                safety?: "PUBLIC_RACEABLE" | "TARGETED_REVIEW" | "UNSUPPORTED";
                orderClass?: "ASK_ANYONECANPAY" | "BID_FULLY_FUNDED" | "UNSUPPORTED";
                signature?: "NONE" | "VALID" | "INVALID" | "UNAVAILABLE";
                side?: "ASK" | "BID";
                /** @description orders for this inscription */
                assetInscriptionId?: string;
                /** @description orders for an asset in this output */
                assetOutpoint?: string;
                /** @description the lowest price in sats, inclusive; leaves out orders without a price */
                priceMin?: string;
                /** @description the highest price in sats, inclusive; leaves out orders without a price */
                priceMax?: string;
                /** @description orders whose `updatedAt` is this time or later; that they become stale is no update */
                updatedSince?: string;
                /** @description a prefix of an order id, an inscription id or number, a txid, a seller’s address, a market or a word of the token */
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
                /** @description order id */
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
                /** @description order id */
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
                /** @description order id */
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
                /** @description order id */
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
                /** @description an output, `txid:vout` */
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
                /** @description an output, `txid:vout` */
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
    quoteOrder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description order id */
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
    preflightOrder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description order id */
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
                /** @description order id */
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
                /** @description order id */
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
                /** @description order id */
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
                /** @description order id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
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
                /** @description order id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
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
                /** @description order id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
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
                        partitions: {
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
                                /** Format: date-time */
                                at: string;
                                tipHeight: number;
                                /** @description null: the index had no usable answer */
                                indexHeight: number | null;
                                /** @enum {string} */
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
                            /** @enum {string} */
                            state: "connecting" | "catching up" | "following" | "paused";
                            /** @description why it is paused; null: it is not */
                            trouble: string | null;
                            detail: string | null;
                        }[] | null;
                        /** @description inbox records that no worker could process: the newest 50 of each partition */
                        deadLetters: {
                            partition: number;
                            /** @description of the record, in the inbox */
                            offset: number;
                            /** @description one, or one for each order that could not take it */
                            reasons: string[];
                            retriedAt: string | null;
                        }[];
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
                        webhooks: {
                            name: string;
                            url: string;
                            /** @description The filters of the stream, or `orderId` alone; without any, all changes are sent. */
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
                                state?: components["schemas"]["OrderState"];
                                /** @description any of these states */
                                states?: components["schemas"]["OrderState"][];
                                /** @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review */
                                actionability?: components["schemas"]["Actionability"];
                                safety?: components["schemas"]["Safety"];
                                orderClass?: components["schemas"]["OrderClass"];
                                signature?: components["schemas"]["SignatureStatus"];
                                /** @enum {string} */
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
                                 * @description orders whose `updatedAt` is this time or later
                                 */
                                updatedSince?: string;
                                /** @description a prefix of an order id, an inscription id or number, a txid, a seller’s address, a market or a word of the token */
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
                            /** Format: date-time */
                            createdAt: string;
                            /** @description who paused it: an operator, or the endpoint with 410; null: it is not paused */
                            paused: ("operator" | "gone") | null;
                            /** @description secrets that sign now: two for a day after a rotation; null: the configuration has them */
                            secrets: number | null;
                            /** @description number of the current secret; null: the configuration has them */
                            secretVersion: number | null;
                            /** @description records of the log not yet looked at: 0 when all is delivered; in Kafka, the marker of each partition’s last transaction counts */
                            lag: number;
                            /** @description null: the last delivery of each partition succeeded */
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
                    name: string;
                    /** @description https, at a public address */
                    url: string;
                    /**
                     * @description The filters of the stream, or `orderId` alone; without any, all changes are sent.
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
                        /** @enum {string} */
                        state?: "PENDING_NODE" | "PENDING_ASSET" | "LIVE" | "MEMPOOL_CONFLICTED" | "SPENT" | "SETTLED" | "REJECTED" | "WITHDRAWN";
                        /** @description any of these states */
                        states?: ("PENDING_NODE" | "PENDING_ASSET" | "LIVE" | "MEMPOOL_CONFLICTED" | "SPENT" | "SETTLED" | "REJECTED" | "WITHDRAWN")[];
                        /**
                         * @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review
                         * @enum {string}
                         */
                        actionability?: "REVIEW_ONLY" | "HANDOFF_READY" | "BLOCKED";
                        /** @enum {string} */
                        safety?: "PUBLIC_RACEABLE" | "TARGETED_REVIEW" | "UNSUPPORTED";
                        /** @enum {string} */
                        orderClass?: "ASK_ANYONECANPAY" | "BID_FULLY_FUNDED" | "UNSUPPORTED";
                        /** @enum {string} */
                        signature?: "NONE" | "VALID" | "INVALID" | "UNAVAILABLE";
                        /** @enum {string} */
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
                         * @description orders whose `updatedAt` is this time or later
                         */
                        updatedSince?: string;
                        /** @description a prefix of an order id, an inscription id or number, a txid, a seller’s address, a market or a word of the token */
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
                        name: string;
                        url: string;
                        /** @description The filters of the stream, or `orderId` alone; without any, all changes are sent. */
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
                            state?: components["schemas"]["OrderState"];
                            /** @description any of these states */
                            states?: components["schemas"]["OrderState"][];
                            /** @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review */
                            actionability?: components["schemas"]["Actionability"];
                            safety?: components["schemas"]["Safety"];
                            orderClass?: components["schemas"]["OrderClass"];
                            signature?: components["schemas"]["SignatureStatus"];
                            /** @enum {string} */
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
                             * @description orders whose `updatedAt` is this time or later
                             */
                            updatedSince?: string;
                            /** @description a prefix of an order id, an inscription id or number, a txid, a seller’s address, a market or a word of the token */
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
                        /** Format: date-time */
                        createdAt: string;
                        /** @description who paused it: an operator, or the endpoint with 410; null: it is not paused */
                        paused: ("operator" | "gone") | null;
                        /** @description secrets that sign now: two for a day after a rotation; null: the configuration has them */
                        secrets: number | null;
                        /** @description number of the current secret; null: the configuration has them */
                        secretVersion: number | null;
                        /** @description records of the log not yet looked at: 0 when all is delivered; in Kafka, the marker of each partition’s last transaction counts */
                        lag: number;
                        /** @description null: the last delivery of each partition succeeded */
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
                        deadLetters: {
                            partition: number;
                            offset: number;
                            orderId: string;
                            seq: number;
                            /** Format: date-time */
                            at: string;
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
                        name: string;
                        url: string;
                        /** @description The filters of the stream, or `orderId` alone; without any, all changes are sent. */
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
                            state?: components["schemas"]["OrderState"];
                            /** @description any of these states */
                            states?: components["schemas"]["OrderState"][];
                            /** @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review */
                            actionability?: components["schemas"]["Actionability"];
                            safety?: components["schemas"]["Safety"];
                            orderClass?: components["schemas"]["OrderClass"];
                            signature?: components["schemas"]["SignatureStatus"];
                            /** @enum {string} */
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
                             * @description orders whose `updatedAt` is this time or later
                             */
                            updatedSince?: string;
                            /** @description a prefix of an order id, an inscription id or number, a txid, a seller’s address, a market or a word of the token */
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
                        /** Format: date-time */
                        createdAt: string;
                        /** @description who paused it: an operator, or the endpoint with 410; null: it is not paused */
                        paused: ("operator" | "gone") | null;
                        /** @description secrets that sign now: two for a day after a rotation; null: the configuration has them */
                        secrets: number | null;
                        /** @description number of the current secret; null: the configuration has them */
                        secretVersion: number | null;
                        /** @description records of the log not yet looked at: 0 when all is delivered; in Kafka, the marker of each partition’s last transaction counts */
                        lag: number;
                        /** @description null: the last delivery of each partition succeeded */
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
                        name: string;
                        url: string;
                        /** @description The filters of the stream, or `orderId` alone; without any, all changes are sent. */
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
                            state?: components["schemas"]["OrderState"];
                            /** @description any of these states */
                            states?: components["schemas"]["OrderState"][];
                            /** @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review */
                            actionability?: components["schemas"]["Actionability"];
                            safety?: components["schemas"]["Safety"];
                            orderClass?: components["schemas"]["OrderClass"];
                            signature?: components["schemas"]["SignatureStatus"];
                            /** @enum {string} */
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
                             * @description orders whose `updatedAt` is this time or later
                             */
                            updatedSince?: string;
                            /** @description a prefix of an order id, an inscription id or number, a txid, a seller’s address, a market or a word of the token */
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
                        /** Format: date-time */
                        createdAt: string;
                        /** @description who paused it: an operator, or the endpoint with 410; null: it is not paused */
                        paused: ("operator" | "gone") | null;
                        /** @description secrets that sign now: two for a day after a rotation; null: the configuration has them */
                        secrets: number | null;
                        /** @description number of the current secret; null: the configuration has them */
                        secretVersion: number | null;
                        /** @description records of the log not yet looked at: 0 when all is delivered; in Kafka, the marker of each partition’s last transaction counts */
                        lag: number;
                        /** @description null: the last delivery of each partition succeeded */
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
                        name: string;
                        url: string;
                        /** @description The filters of the stream, or `orderId` alone; without any, all changes are sent. */
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
                            state?: components["schemas"]["OrderState"];
                            /** @description any of these states */
                            states?: components["schemas"]["OrderState"][];
                            /** @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review */
                            actionability?: components["schemas"]["Actionability"];
                            safety?: components["schemas"]["Safety"];
                            orderClass?: components["schemas"]["OrderClass"];
                            signature?: components["schemas"]["SignatureStatus"];
                            /** @enum {string} */
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
                             * @description orders whose `updatedAt` is this time or later
                             */
                            updatedSince?: string;
                            /** @description a prefix of an order id, an inscription id or number, a txid, a seller’s address, a market or a word of the token */
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
                        /** Format: date-time */
                        createdAt: string;
                        /** @description who paused it: an operator, or the endpoint with 410; null: it is not paused */
                        paused: ("operator" | "gone") | null;
                        /** @description secrets that sign now: two for a day after a rotation; null: the configuration has them */
                        secrets: number | null;
                        /** @description number of the current secret; null: the configuration has them */
                        secretVersion: number | null;
                        /** @description records of the log not yet looked at: 0 when all is delivered; in Kafka, the marker of each partition’s last transaction counts */
                        lag: number;
                        /** @description null: the last delivery of each partition succeeded */
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
                        name: string;
                        url: string;
                        /** @description The filters of the stream, or `orderId` alone; without any, all changes are sent. */
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
                            state?: components["schemas"]["OrderState"];
                            /** @description any of these states */
                            states?: components["schemas"]["OrderState"][];
                            /** @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review */
                            actionability?: components["schemas"]["Actionability"];
                            safety?: components["schemas"]["Safety"];
                            orderClass?: components["schemas"]["OrderClass"];
                            signature?: components["schemas"]["SignatureStatus"];
                            /** @enum {string} */
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
                             * @description orders whose `updatedAt` is this time or later
                             */
                            updatedSince?: string;
                            /** @description a prefix of an order id, an inscription id or number, a txid, a seller’s address, a market or a word of the token */
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
                        /** Format: date-time */
                        createdAt: string;
                        /** @description who paused it: an operator, or the endpoint with 410; null: it is not paused */
                        paused: ("operator" | "gone") | null;
                        /** @description secrets that sign now: two for a day after a rotation; null: the configuration has them */
                        secrets: number | null;
                        /** @description number of the current secret; null: the configuration has them */
                        secretVersion: number | null;
                        /** @description records of the log not yet looked at: 0 when all is delivered; in Kafka, the marker of each partition’s last transaction counts */
                        lag: number;
                        /** @description null: the last delivery of each partition succeeded */
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
                        name: string;
                        url: string;
                        /** @description The filters of the stream, or `orderId` alone; without any, all changes are sent. */
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
                            state?: components["schemas"]["OrderState"];
                            /** @description any of these states */
                            states?: components["schemas"]["OrderState"][];
                            /** @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review */
                            actionability?: components["schemas"]["Actionability"];
                            safety?: components["schemas"]["Safety"];
                            orderClass?: components["schemas"]["OrderClass"];
                            signature?: components["schemas"]["SignatureStatus"];
                            /** @enum {string} */
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
                             * @description orders whose `updatedAt` is this time or later
                             */
                            updatedSince?: string;
                            /** @description a prefix of an order id, an inscription id or number, a txid, a seller’s address, a market or a word of the token */
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
                        /** Format: date-time */
                        createdAt: string;
                        /** @description who paused it: an operator, or the endpoint with 410; null: it is not paused */
                        paused: ("operator" | "gone") | null;
                        /** @description secrets that sign now: two for a day after a rotation; null: the configuration has them */
                        secrets: number | null;
                        /** @description number of the current secret; null: the configuration has them */
                        secretVersion: number | null;
                        /** @description records of the log not yet looked at: 0 when all is delivered; in Kafka, the marker of each partition’s last transaction counts */
                        lag: number;
                        /** @description null: the last delivery of each partition succeeded */
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
                        keys: {
                            name: string;
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
                            /** Format: date-time */
                            createdAt: string;
                            /** @description secrets that are accepted now: two for a day after a rotation */
                            secrets: number;
                            /**
                             * Format: date-time
                             * @description when the newest secret was made
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
                        name: string;
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
                        /** Format: date-time */
                        createdAt: string;
                        /** @description secrets that are accepted now: two for a day after a rotation */
                        secrets: number;
                        /**
                         * Format: date-time
                         * @description when the newest secret was made
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
                        name: string;
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
                        /** Format: date-time */
                        createdAt: string;
                        /** @description secrets that are accepted now: two for a day after a rotation */
                        secrets: number;
                        /**
                         * Format: date-time
                         * @description when the newest secret was made
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
                        name: string;
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
                        /** Format: date-time */
                        createdAt: string;
                        /** @description secrets that are accepted now: two for a day after a rotation */
                        secrets: number;
                        /**
                         * Format: date-time
                         * @description when the newest secret was made
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
                /** @description order id */
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
                /** @description order id */
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
                /** @description order id */
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
                /** @description order id */
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
                state?: "PENDING_NODE" | "PENDING_ASSET" | "LIVE" | "MEMPOOL_CONFLICTED" | "SPENT" | "SETTLED" | "REJECTED" | "WITHDRAWN";
                /** @description any of these states, comma separated; withdrawn or rejected orders are listed where their state is among them */
                states?: string;
                /** @description orders that are shown with it at the moment of the request; it changes with time, since an order that was verified too long ago is only for review */
                actionability?: "REVIEW_ONLY" | "HANDOFF_READY" | "BLOCKED";
                safety?: "PUBLIC_RACEABLE" | "TARGETED_REVIEW" | "UNSUPPORTED";
                orderClass?: "ASK_ANYONECANPAY" | "BID_FULLY_FUNDED" | "UNSUPPORTED";
                signature?: "NONE" | "VALID" | "INVALID" | "UNAVAILABLE";
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
                /** @description orders whose `updatedAt` is this time or later; that they become stale is no update */
                updatedSince?: string;
                /** @description a prefix of an order id, an inscription id or number, a txid, a seller’s address, a market or a word of the token */
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
                        from: string | null;
                        to: string | null;
                        rows: {
                            /** @description the market, as last told; untrusted */
                            protocol_id: string | null;
                            /** @description as last told; untrusted */
                            token: string | null;
                            live_asks: string;
                            live_bids: string;
                            /** @description outputs that they offer: several orders may offer one */
                            live_outputs: string;
                            /** @description the lowest price of a LIVE ask, postage included */
                            floor_sats: string | null;
                            best_bid_sats: string | null;
                            /** @description the sum of the prices of the LIVE asks */
                            asked_sats: string;
                        }[];
                        limit: number;
                        nextCursor: string;
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
                        from: string | null;
                        to: string | null;
                        rows: {
                            /** @description the market, as last told; untrusted */
                            protocol_id: string | null;
                            /** @description as last told; untrusted */
                            token: string | null;
                            /** @enum {string} */
                            side: "ASK" | "BID";
                            /** @description sats */
                            price_sats: string;
                            /** @description LIVE orders at this price */
                            orders: string;
                            /** @description at this price or a better one */
                            orders_up_to: string;
                            /** @description the sum of their prices */
                            sats_up_to: string;
                        }[];
                        limit: number;
                        nextCursor: string;
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
                        from: string | null;
                        to: string | null;
                        rows: {
                            order_id: string;
                            /** @description the number of the change that made this version */
                            seq: string;
                            /** Format: date-time */
                            in_force_from: string;
                            /** @description excluded; null: it is in force */
                            in_force_until: string | null;
                            outpoint: string;
                            /** @description the market, as last told; untrusted */
                            protocol_id: string | null;
                            /** @description as last told; untrusted */
                            token: string | null;
                            side: ("ASK" | "BID") | null;
                            /** @description what the seller is paid, postage included */
                            gross_price_sats: string | null;
                            /** @description what the seller is paid less the postage */
                            net_price_sats: string | null;
                            postage_sats: string | null;
                            seller_script_hex: string | null;
                            inscription_ids: string[];
                            /** @description the address of that script; null: it has none */
                            seller_address: string | null;
                        }[];
                        limit: number;
                        nextCursor: string;
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
                        from: string | null;
                        to: string | null;
                        rows: {
                            /** @description the days up to `to`: 1, 7 or 30 */
                            days: number;
                            sales: string;
                            /** @description the sum of their prices, postage included */
                            volume_sats: string;
                            /** @description different scripts of the outputs that they sold */
                            sellers: string;
                            /** @description the same in as many days before those */
                            sales_before: string;
                            /** @description sats */
                            volume_before_sats: string;
                            sellers_before: string;
                            /** @description of the days before, whole, rounded towards zero; null: there was nothing then */
                            sales_change_percent: string | null;
                            /** @description of the days before, whole, rounded towards zero; null: there was nothing then */
                            volume_change_percent: string | null;
                            /** @description of the days before, whole, rounded towards zero; null: there was nothing then */
                            sellers_change_percent: string | null;
                        }[];
                        limit: number;
                        nextCursor: string;
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
                        from: string | null;
                        to: string | null;
                        rows: {
                            interval: string;
                            /**
                             * Format: date-time
                             * @description the beginning of an hour, a day or a week, and last the end of the range
                             */
                            at: string;
                            /** @description the market, as last told; untrusted */
                            protocol_id: string | null;
                            /** @description as last told; untrusted */
                            token: string | null;
                            /** @description the lowest price of an ask LIVE then, postage included */
                            floor_sats: string | null;
                            best_bid_sats: string | null;
                        }[];
                        limit: number;
                        nextCursor: string;
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
                        from: string | null;
                        to: string | null;
                        rows: {
                            interval: string;
                            /** Format: date-time */
                            start: string;
                            /** @description the market, as last told; untrusted */
                            protocol_id: string | null;
                            /** @description as last told; untrusted */
                            token: string | null;
                            /** @description sats */
                            open_sats: string;
                            /** @description sats */
                            high_sats: string;
                            /** @description sats */
                            low_sats: string;
                            /** @description sats */
                            close_sats: string;
                            /** @description sats */
                            volume_sats: string;
                            sales: string;
                        }[];
                        limit: number;
                        nextCursor: string;
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
                        from: string | null;
                        to: string | null;
                        rows: {
                            order_id: string;
                            outpoint: string;
                            txid: string;
                            /** Format: date-time */
                            sold_at: string;
                            /** Format: date-time */
                            settled_at: string;
                            block_height: number | null;
                            /** @description the market, as last told; untrusted */
                            protocol_id: string | null;
                            /** @description as last told; untrusted */
                            token: string | null;
                            side: ("ASK" | "BID") | null;
                            inscription_ids: string[];
                            seller_script_hex: string | null;
                            /** @description what the seller is paid, postage included */
                            gross_price_sats: string | null;
                            /** @description what the seller is paid less the postage */
                            net_price_sats: string | null;
                            postage_sats: string | null;
                            first_live_at: string | null;
                            /** @description a reorganisation took it back: it is in no sum */
                            is_taken_back: boolean;
                            /** @description in the sums, as the one sale of its output */
                            is_counted: boolean;
                            /** @description the address of that script; null: it has none */
                            seller_address: string | null;
                        }[];
                        limit: number;
                        nextCursor: string;
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
                        from: string | null;
                        to: string | null;
                        rows: {
                            inscription_id: string;
                            order_id: string;
                            seq: string;
                            /** Format: date-time */
                            observed_at: string;
                            from_state: components["schemas"]["OrderState"] | null;
                            to_state: components["schemas"]["OrderState"];
                            reason: string;
                            outpoint: string;
                            side: ("ASK" | "BID") | null;
                            gross_price_sats: string | null;
                            net_price_sats: string | null;
                            settlement_txid: string | null;
                            is_taken_back: boolean;
                        }[];
                        limit: number;
                        nextCursor: string;
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
                        from: string | null;
                        to: string | null;
                        rows: {
                            seller_script_hex: string;
                            listed: string;
                            sold: string;
                            /** @description sats */
                            sold_sats: string;
                            withdrawn: string;
                            spent_elsewhere: string;
                            /** @description the address of that script; null: it has none */
                            seller_address: string | null;
                        }[];
                        limit: number;
                        nextCursor: string;
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
                        from: string | null;
                        to: string | null;
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
                            sales: string;
                            median_seconds: string;
                            p90_seconds: string;
                            longest_seconds: string;
                        }[];
                        limit: number;
                        nextCursor: string;
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
                        from: string | null;
                        to: string | null;
                        rows: {
                            /**
                             * Format: date
                             * @description UTC
                             */
                            day: string;
                            /** @enum {string} */
                            kind: "conflict" | "replacement" | "release" | "taken_back";
                            events: string;
                            orders: string;
                        }[];
                        limit: number;
                        nextCursor: string;
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
                        from: string | null;
                        to: string | null;
                        rows: {
                            /**
                             * Format: date
                             * @description UTC
                             */
                            day: string;
                            state: components["schemas"]["OrderState"];
                            reason: string;
                            verdicts: string;
                            orders: string;
                        }[];
                        limit: number;
                        nextCursor: string;
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
                        from: string | null;
                        to: string | null;
                        rows: {
                            /**
                             * Format: date
                             * @description UTC
                             */
                            day: string;
                            source: string;
                            orders: string;
                            first_told: string;
                            duplicates: string;
                            valid: string;
                            stale: string;
                            fake: string;
                            undecided: string;
                            median_lag_ms: string | null;
                            longest_lag_ms: string | null;
                        }[];
                        limit: number;
                        nextCursor: string;
                        hasMore: boolean;
                    };
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
                        objectKey: string;
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
                        txid: string;
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
                        data: components["schemas"]["PairingObject"];
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
                        data: components["schemas"]["SearchResults"];
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
                        data: components["schemas"]["AddressCarriers"];
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
                            peer: components["schemas"]["AgreementEnvelope"];
                            /** Format: date-time */
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
