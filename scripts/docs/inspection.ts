import { PROBLEM_MEANINGS, REMEDIES } from '../../src/domain/inspection/problem.ts'

const INTRODUCTION = `# Inspection

\`POST /api/market/orders/inspect\` says what is wrong with an artifact, all of it at once, and what an import would make of it
now. Nothing is stored: no order, no log record, no answer under an \`Idempotency-Key\`. Why it is as it is:
[ADR 63](adr/0063-an-inspection-collects.md).

The body has exactly one of

- \`psbt\`, base64 or hex, beside it the claims of an import (\`asset\`, \`claimedPriceSats\`, \`protocolId\`, …);
- \`transaction\`, hex, with the same claims: a signed half that was finalised, or a PSBT's transaction pasted in its place;
- \`event\`, of kind 802, whose tags are its claims.

A body of another shape is refused with every field that is wrong, as by an import. All else is answered with 200:

| field | says |
| --- | --- |
| \`kind\`, \`form\`, \`inspection\` | what was sent and how it reads; \`inspection\` is null if no PSBT can be read from it |
| \`refusedAs\` | the code with which an import of the same would refuse it; null: it takes it |
| \`order\` | the id that the signatures name, whether that order exists, and its state |
| \`problems\` | each \`{code, effect, place, message, remedy, details?}\` |
| \`verdict\` | state and validation as the order would show them, with the tips of node and index that they stand on; null if no PSBT can be read |
| \`repaired\` | the same authorisation in bytes that lack the problems of \`mends\`, with its own verdict: import it as \`psbt\`. A signature is mended only where it is valid against the node's output afterwards |
| \`flow\` | who pays what in a buy: the seller's input and its postage, the payout, the price gross and net of the postage, fees |

Of a problem, \`effect\` is REFUSED (no import takes it), NOT_LIVE (its order would not be LIVE) or NOTED (shown, and no more);
\`place\` is a JSON pointer into the request, with the index of the input or output; \`details\` are facts by name.

An unavailable authority is also a problem: what can be said without it is said, and the verdict is the pending state that an
import would get. 503 and 504 are as for every route: a store that gives no answer, a queue that is full, no verdict in time.

Every code, with what a seller can do:

| code | means | remedy |
| --- | --- | --- |`

/** Every problem of an inspection, by its code. */
export function inspectionPage(): string {
  const rows = Object.entries(REMEDIES)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([code, remedy]) => `| ${code} | ${cell(PROBLEM_MEANINGS[code] ?? '')} | ${cell(remedy)} |`,
    )
  return [INTRODUCTION, ...rows, ''].join('\n')
}

const cell = (text: string): string => text.replaceAll('|', '\\|')
