import { ERROR_MEANINGS } from '../../src/schemas/api/error-meanings.ts'
import { ERROR_STATUS, type ErrorCode } from '../../src/schemas/api/errors.ts'

const INTRODUCTION = `# Errors

Every failure of a route of the market has one shape:

\`\`\`json
{
  "statusCode": 400,
  "error": "Bad Request",
  "message": "limit: must be a decimal number from 1 to 200",
  "requestId": "5a0f9d3e-7c1b-4b0e-9f5e-0c8f1d2a3b4c",
  "code": "VALIDATION_FAILED"
}
\`\`\`

\`message\` is the exact reason, or an array where there are several; each names the field that it is
about. \`requestId\` is that of the header \`X-Request-Id\`: the client's own where it is 1 to 128
characters of \`A-Z a-z 0-9 . _ : -\`, else a new one. \`code\` is one of the list below, which is
closed: a program may switch on it. Texts may change, codes do not. A 429 and a 503 carry
\`Retry-After\`, in seconds.

The routes of \`/pairing\` and \`/circles\`, and \`/ready\`, have the shapes of their contracts, without \`code\` and \`requestId\`:

- \`{"message":"object not found","error":"Not Found","statusCode":404}\`, of every status but 500;
- \`{"statusCode":500,"message":"Internal server error"}\`;
- \`{"status":"verification_unavailable","error":"verification_unavailable"}\`, the 503 of a verified read, without \`message\`;
- the readiness snapshot, the 503 of \`/ready\` and \`/pairing/readiness\`.

Two headers say more, of the failures of pairing and circles as well:

- \`Link: </docs/orders/#listOrders>; rel="help"\`: the page that describes the operation.
- \`Error-Param: limit\`: the parameter, or the path of the field in the body, that the first reason is about.

Ids and outpoints in paths and filters are read in either case. A path below \`/api/market\` with a slash at its end is answered
308 with the path that is meant, and \`GET /api/market\` lists the operations.
`

/** Every code with its status and its meaning, lowest status first. */
export function errorsPage(): string {
  const codes = Object.keys(ERROR_STATUS) as ErrorCode[]
  const rows = codes
    .sort((a, b) => ERROR_STATUS[a] - ERROR_STATUS[b])
    .map((code) => `| ${code} | ${ERROR_STATUS[code]} | ${ERROR_MEANINGS[code]} |`)
  const head = ['| code | status | when |', '| --- | --- | --- |']
  return [INTRODUCTION, ...head, ...rows, ''].join('\n')
}
