import { z } from 'zod'

/** Which build of the service a process runs. */
export const BuildInfo = z.strictObject({
  version: z.string().describe('of the release; `unknown`: started from its sources'),
  commit: z
    .string()
    .describe('that it was built from, `-dirty` if files were changed; `unknown`: not stated'),
  node: z.string().describe('version of Node.js that runs it'),
})
export type BuildInfo = z.infer<typeof BuildInfo>
