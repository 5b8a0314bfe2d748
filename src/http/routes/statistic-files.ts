import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { fileNameOf, StatisticFiles } from '../../gateway/reading/statistic-files.ts'
import { FILE_FORMATS, type FileFormat } from '../../ports/views/statistics.ts'
import { LANES } from '../../runtime/lanes.ts'
import { statisticFileOperation } from '../operations/statistic-files.ts'
import { BASE, type RouteContext, sourceOf } from './context.ts'
import { sendBytes } from './send-bytes.ts'

const MEDIA_TYPES: Record<FileFormat, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  parquet: 'application/vnd.apache.parquet',
}

/** Statistics of the market as files (ADR 131). */
export function statisticFileRoutes(
  app: FastifyInstance,
  { gateway, stores, limiters }: RouteContext,
): void {
  const routes = app.withTypeProvider<ZodTypeProvider>()
  const files = new StatisticFiles(gateway, (work, source) =>
    stores.statisticFiles.run(LANES.later, work, { source }),
  )
  for (const format of FILE_FORMATS) {
    routes.get(
      `${BASE}/stats/:name.${format}`,
      { schema: statisticFileOperation(format) },
      async (request, reply) => {
        const { name } = request.params
        const question = files.bind(name, format, request.query)
        const source = sourceOf(request)
        // A file that is there costs what any read does.
        if (!files.has(question, source)) await limiters.statisticFile(request, reply)
        const { bytes, tag } = await files.read(question, source)
        const headers = {
          'content-type': MEDIA_TYPES[format],
          'content-disposition': `attachment; filename="${fileNameOf(question)}"`,
          'cache-control': 'no-cache',
        }
        return sendBytes(request, reply, { bytes, tag, headers }) as never
      },
    )
  }
}
