/** Every reason that inspection may give, with its meaning: a closed list. */
export const INSPECTION_REASONS = {
  unsigned: 'No input carries a signature.',
  signature_unreadable: 'A signature field holds something that cannot be read as a signature.',
  sighash_not_single_anyonecanpay:
    'The signature does not commit to its own input and the output beside it alone (0x83).',
  sighash_default:
    'The taproot signature has 64 bytes, that is SIGHASH_DEFAULT. Where it was made for 0x83 its byte is missing.',
  sighash_field_differs: 'The sighash field of the input names another sighash than its signature.',
  no_output_at_index: 'There is no output at the index of the signed input.',
  legacy_input:
    'The offered output is not segwit: its signature would bind the index of the input.',
  several_offered_inputs: 'More than one input is signed, and together they are no bid.',
  several_unsigned_inputs:
    'The others are signed as in a bid, but more than one input is unsigned.',
  bid_too_many_inputs: 'A bid that brings more than 16 inputs of its own.',
  bid_value_unknown: 'A bid whose PSBT does not state the value of every input.',
  bid_not_funded: 'A bid whose inputs do not cover its outputs and a fee.',
  bid_pays_owner_nothing: 'No output pays the script of the wanted output: nothing is bid for it.',
} as const

export type InspectionReason = keyof typeof INSPECTION_REASONS
