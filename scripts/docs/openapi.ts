import { openWholeApp } from '../../test/support/market/whole-app.ts'

/** The OpenAPI document as `/openapi.json` answers it. */
export async function openApiDocument(): Promise<string> {
  const it = await openWholeApp()
  try {
    return `${JSON.stringify(it.app.swagger(), null, 2)}\n`
  } finally {
    await it.close()
  }
}
