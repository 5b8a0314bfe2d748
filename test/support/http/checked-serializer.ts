import { isDeepStrictEqual } from 'node:util'
import type { FastifySerializerCompiler } from 'fastify'
import { z } from 'zod'

/** As the product's, and throws where an answer is not exactly what the schema of its route describes. */
export const checkedSerializer: FastifySerializerCompiler<z.ZodType> =
  ({ schema, method, url }) =>
  (answer) => {
    const text = JSON.stringify(answer)
    const described = JSON.parse(JSON.stringify(z.encode(schema, answer)))
    if (isDeepStrictEqual(described, JSON.parse(text))) return text
    throw new Error(`${method} ${url} answers what its schema does not describe: ${text}`)
  }
