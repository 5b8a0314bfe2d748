import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'

/** One call of Bitcoin Core's RPC with its answer, word for word. */
export const RpcExchange = z.object({
  method: z.string(),
  params: z.array(z.unknown()),
  status: z.int(),
  body: z.string(),
})
export type RpcExchange = z.infer<typeof RpcExchange>

/** One page of an ord server. */
export const OrdExchange = z.object({
  path: z.string(),
  status: z.int(),
  contentType: z.string(),
  body: z.string(),
})
export type OrdExchange = z.infer<typeof OrdExchange>

const read = (folder: string): unknown =>
  JSON.parse(
    readFileSync(
      path.resolve(import.meta.dirname, '../../fixtures', folder, 'answers.json'),
      'utf8',
    ),
  )

/** By name; recorded by record-answers.ts. */
export const rpcAnswers = z.record(z.string(), RpcExchange).parse(read('bitcoind'))
export const ordAnswers = z.record(z.string(), OrdExchange).parse(read('ord'))
