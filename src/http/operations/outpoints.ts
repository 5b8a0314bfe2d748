import type { FastifySchema } from 'fastify'
import { CheckOutputsRequest, OutputsChecked } from '../../schemas/api/outputs/check.ts'
import { Exposure, ExposureQuery, OutpointPath } from '../../schemas/api/outputs/exposure.ts'
import { AddressOutputs, OwnerPath } from '../../schemas/api/outputs/owned.ts'
import { SelfSpend, SelfSpendRequest } from '../../schemas/api/outputs/self-spend.ts'

/** Outputs: what they are exposed to, what ends that, and which are safe to pay with. */
export const OUTPOINT_OPERATIONS = {
  readExposure: {
    operationId: 'readExposure',
    summary: 'Read what an output is exposed to',
    description:
      'Every ask of the output that was ever proved here, newest first: open, closed to make room, ' +
      'withdrawn and hidden ones too, each with its signed price and whether anyone with the PSBT can take the ' +
      'output for it. `lowest` is the lowest such price over all pages. `bids` are those that the output ' +
      'pays for, the newest 50. Only a block that spends the output ends them. Nothing that a sender ' +
      'wrote is shown.',
    tags: ['outpoints'],
    refusals: [
      'OFFSET_NOT_SUPPORTED',
      'INVALID_CURSOR',
      'NODE_UNAVAILABLE',
      'STILL_BEING_VERIFIED',
    ],
    params: OutpointPath,
    querystring: ExposureQuery,
    response: { 200: Exposure },
  },
  buildSelfSpend: {
    operationId: 'buildSelfSpend',
    summary: 'Compose the spend that ends all authorisations of an output',
    description:
      'An unsigned, replaceable PSBT that moves the output to an address of its owner. Every asset goes ' +
      'with it: if one would be lost to the fee, it is refused. The fee is taken from the end of ' +
      'the output, half of it at most, or paid by `fundingUtxos`, which must be known to be empty and ' +
      'be offered by no open order here. Nothing is stored or broadcast; an Idempotency-Key is ignored.',
    tags: ['outpoints'],
    refusals: ['SELF_SPEND_REFUSED', 'NODE_UNAVAILABLE', 'ASSET_INDEX_UNAVAILABLE'],
    params: OutpointPath,
    body: SelfSpendRequest,
    response: { 201: SelfSpend },
  },
  checkOutputs: {
    operationId: 'checkOutputs',
    summary: 'Check which outputs are safe to pay with',
    description:
      'Takes up to 100 outputs, each once. The answer says for each whether a purchase may name it as ' +
      'padding or payment, and everything against it. While the index is unavailable or behind, an ' +
      'output that it has not examined is not safe. Nothing is stored; an Idempotency-Key is ' +
      'ignored.',
    tags: ['outpoints'],
    refusals: ['NODE_UNAVAILABLE'],
    body: CheckOutputsRequest,
    response: { 201: OutputsChecked },
  },
  readAddressOutputs: {
    operationId: 'readAddressOutputs',
    summary: 'Read the outputs of an address, each examined',
    description:
      'The unspent outputs of an address, as the index knows them: at most 100, those with inscriptions ' +
      'first, then the largest, half of them for each. Each is examined as `checkOutputs` does it: a wallet is offered what ' +
      'it may sell (`holds_inscription` alone is against it) and what it may pay with (`safe`). The ' +
      'index must follow addresses (`ord --index-addresses`).',
    tags: ['outpoints'],
    refusals: ['VALIDATION_FAILED', 'NODE_UNAVAILABLE', 'ASSET_INDEX_UNAVAILABLE'],
    params: OwnerPath,
    response: { 200: AddressOutputs },
  },
} satisfies Record<string, FastifySchema>
