import { readFile, writeFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { EXAMPLE_REQUESTS } from '../src/http/openapi/examples.ts'
import { openExampleRun, withoutRandom } from '../test/support/market/example-run.ts'

// Sends the request of every example of the API to a running service, and records the answers.
// Before the other pages: /openapi.json shows them.

const PATH = 'src/http/openapi/examples/answers.json'
const known = JSON.parse(await readFile(PATH, 'utf8')) as Record<string, unknown>

const run = await openExampleRun()
const answers: Record<string, unknown> = {}
try {
  for (const id of Object.keys(EXAMPLE_REQUESTS)) {
    const answer = await run.sendExample(id)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${id} answers ${answer.status}: ${text}`)
    const body: unknown = JSON.parse(text)
    // Where only random values differ, the recorded answer stays.
    const isSame = isDeepStrictEqual(withoutRandom(body), withoutRandom(known[id]))
    answers[id] = isSame ? known[id] : body
  }
} finally {
  await run.end()
}
await writeFile(PATH, `${JSON.stringify(answers, null, 2)}\n`)
