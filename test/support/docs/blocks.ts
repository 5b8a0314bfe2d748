import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow, ROOT } from '../tree.ts'

export interface Block {
  page: string
  language: string
  text: string
}

/** What a reader may run or copy; other fences show output, or diagrams. */
const RUNNABLE = /^( *)```(sh|sql|ts|json|js|python)\n([\s\S]*?)^\1```/gm
const OTHERS = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'console/README.md',
  'demo/README.md',
  'guide/README.md',
  'clients/typescript/README.md',
  'clients/python/README.md',
]

/** Every command and snippet of the README and the pages, in order. */
export const allBlocks = (): Block[] =>
  [...OTHERS, ...filesBelow('docs').filter((path) => path.endsWith('.md'))].flatMap(blocksOf)

export function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8')
  return [...text.matchAll(RUNNABLE)].map(([, indent = '', language = '', body = '']) => ({
    page,
    language,
    text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

/** The pages of commands for a running devnet that test/docs/tutorial.integration.test.ts runs, all on one service. */
export const RUN_ON_DEVNET = [
  'docs/tutorial.md',
  'docs/verify-an-answer.md',
  'docs/withdraw.md',
  'docs/operate.md',
]

/** How many blocks of a page another file extracts and runs. */
export const RUN_BY: readonly [page: string, language: string, count: number, by: string][] = [
  ['docs/run.md', 'sh', 1, 'test/docs/run-mainnet.integration.test.ts'],
  ['docs/mainnet.md', 'sh', 13, 'test/docs/mainnet.integration.test.ts'],
  ['docs/first-change.md', 'sh', 2, 'test/docs/first-change.integration.test.ts'],
  ['docs/history.md', 'sql', 15, 'test/docs/history.integration.test.ts'],
  ['docs/sql-for-analysts.md', 'sql', 5, 'test/docs/history.integration.test.ts'],
  ['docs/sql-for-analysts.md', 'sql', 5, 'test/http/statistic-files.integration.test.ts'],
  ['clients/typescript/README.md', 'ts', 10, 'test/clients/readme.integration.test.ts'],
  ['clients/python/README.md', 'sh', 1, 'scripts/check-python-client.py'],
  ['clients/python/README.md', 'python', 2, 'scripts/check-python-client.py'],
]

/** Blocks that no test runs, by page and first words, with the reason. */
export const NOT_RUN: readonly [page: string, begins: string, reason: string][] = [
  [
    'docs/sql-for-analysts.md',
    'curl -OJ',
    'test/http/statistic-files.integration.test.ts asks for the file',
  ],
  [
    'docs/sql-for-analysts.md',
    'pandas.read_parquet',
    'wants pandas and DuckDB, which no suite installs',
  ],
  ['README.md', 'npm ci && npm start', 'installs: scripts/check-service starts it so in CI'],
  [
    'docs/run.md',
    'scripts/services install',
    'takes 14 minutes; CI and test/services/demo.test.ts run it',
  ],
  [
    'docs/run.md',
    'market operator token',
    'has the token and the order of the reader: test/http/admin.integration.test.ts',
  ],
  ['README.md', 'npm install --global', 'scripts/check-packages installs and starts the package'],
  ['CONTRIBUTING.md', 'npm run lint', 'the suites themselves: CI runs them'],
  ['docs/first-change.md', 'git clone', 'installs: CI begins with a clone'],
  ['docs/first-change.md', 'npm run docs', 'CI runs each of them, on what is there'],
  ['docs/first-change.md', 'git commit', 'the copy of the tree has no history'],
  ['docs/tutorial.md', 'npm ci && npm start', 'the test starts the service itself'],
  [
    'docs/withdraw.md',
    'curl -sf -H "$JSON" http://127.0.0.1:8080/api/market/orders/$ORDER/withdraw',
    'wants a signature of the wallet: test/http/ownership.integration.test.ts makes one',
  ],
  ['docs/operate.md', 'npm ci\nnpm start', 'installs, and runs until it is ended'],
  [
    'docs/add-a-relay.md',
    'export NOSTR_RELAYS',
    'names relays of the reader: test/services/intake-relay.test.ts',
  ],
  [
    'docs/add-a-relay.md',
    "curl -s http://127.0.0.1:9464/metrics | grep '^market_intake_following",
    'needs that relay',
  ],
  [
    'docs/add-a-relay.md',
    "curl -s http://127.0.0.1:9464/metrics | grep '^market_intake_items",
    'needs that relay',
  ],
  ['docs/intake.md', 'NOSTR_RELAYS=', 'names relays of others'],
  [
    'docs/pairing.md',
    "curl -s 'http://127.0.0.1:8080/pairing/objects?limit=5'",
    'for an object of the reader: the recorded examples have each route',
  ],
  ['docs/pairing.md', 'npm run market -- pairing keygen', 'writes a key of the reader'],
  [
    'docs/pairing.md',
    'curl -s http://127.0.0.1:8080/pairing/objects/OBJECT_KEY/proof',
    'for an object of the reader, by keys of two pipelines',
  ],
  [
    'docs/circles.md',
    'curl -s http://127.0.0.1:8080/circles/state',
    'for a record of the reader: docs/verify-an-answer.md runs the first two',
  ],
  [
    'docs/circles.md',
    'market circles snapshot',
    'opens a stopped service too: docs/verify-an-answer.md runs snapshot and verify',
  ],
  ['docs/customers.md', 'curl -H "Authorization', 'has the key of the reader'],
  ['docs/customers.md', "jq -cR '{psbt", 'has the key and the orders of the reader'],
  ['docs/webhooks.md', 'curl -H "Authorization', 'has the token and the endpoint of the reader'],
  ['docs/webhooks.md', '[{ "name": "shop"', 'a setting, and its secret is left out'],
  [
    'docs/webhooks.md',
    'import { createServer }',
    'clients/typescript/README.md has it as a program that is run',
  ],
  [
    'docs/kubernetes.md',
    'docker build',
    'needs Docker: test/deploy/image.integration.test.ts reads the image',
  ],
  ['docs/kubernetes.md', 'umask 077', 'needs a cluster'],
  ['docs/kubernetes.md', 'kubectl apply -f', 'needs a cluster'],
  ['docs/kubernetes.md', 'kubectl -n market apply', 'needs a cluster'],
  ['docs/kubernetes.md', 'kubectl -n market annotate', 'needs a cluster'],
  ['docs/kubernetes.md', 'kubectl -n market rollout', 'needs a cluster'],
  [
    'docs/kubernetes.md',
    'kubectl apply -k',
    'needs a cluster: scripts/check-deploy holds the manifests',
  ],
  ['docs/kubernetes.md', 'market pairing keygen', 'needs a cluster'],
  ['docs/simulation.md', 'npm run sim', 'takes minutes: CI runs seeds'],
  ['docs/reliability.md', 'npm run test:faults', 'takes minutes: CI runs the suites'],
  ['docs/errors.md', '{', 'an answer, generated from the description'],
  [
    'clients/typescript/README.md',
    'npm ci && cd clients/typescript',
    'test/services/client-runtimes.test.ts packs it',
  ],
]

export const isNotRun = ({ page, text }: Block): boolean =>
  NOT_RUN.some(([of, begins]) => of === page && text.startsWith(begins))
