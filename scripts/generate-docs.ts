import { writeFile } from 'node:fs/promises'
import { clientTypes } from './docs/client-types.ts'
import { configurationPage } from './docs/configuration.ts'
import { envExample } from './docs/env-example.ts'
import { errorsPage } from './docs/errors.ts'
import { inspectionPage } from './docs/inspection.ts'
import { openApiDocument } from './docs/openapi.ts'
import { orderStates } from './docs/order-states.ts'
import { RULE_FILES } from './docs/rule-files.ts'
import { scalePage } from './docs/scale.ts'
import { simulationPage } from './docs/simulation.ts'
import { specCoveragePage } from './docs/spec-coverage.ts'

/** Files generated from others: by path, how. */
export const GENERATED: Readonly<Record<string, () => string | Promise<string>>> = {
  '.env.example': envExample,
  'clients/typescript/src/generated/api.ts': clientTypes,
  ...RULE_FILES,
  'docs/configuration.md': configurationPage,
  'docs/errors.md': errorsPage,
  'docs/inspection.md': inspectionPage,
  'docs/openapi.json': openApiDocument,
  'docs/order-states.md': orderStates,
  'docs/scale.md': scalePage,
  'docs/simulation.md': simulationPage,
  'docs/spec-coverage.md': specCoveragePage,
}

if (process.argv[1] === import.meta.filename) {
  for (const [path, page] of Object.entries(GENERATED)) await writeFile(path, await page())
}
