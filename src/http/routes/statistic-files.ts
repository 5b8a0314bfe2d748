import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { fileNameOf, StatisticFiles } from '../../gateway/reading/statistic-files.ts'
import { FILE_FORMATS, type FileFormat } from '../../ports/views/statistics.ts'
import { LANES } from '../../runtime/lanes.ts'
import { statisticFileOperation } from '../operations/statistic-files.ts'
import { BASE, type RouteContext } from './context.ts'
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
  const files = new StatisticFiles(gateway, {
    file: (...question) =>
      stores.statisticFiles.run(LANES.later, () => gateway.statistics.file(...question)),
  })
  for (const format of FILE_FORMATS) {
    routes.get(
      `${BASE}/stats/:name.${format}`,
      { schema: statisticFileOperation(format) },
      async (request, reply) => {
        const { name } = request.params
        const question = files.bind(name, format, request.query)
        // A file that is there costs what any read does.
        if (!files.has(question)) await limiters.statisticFile(request, reply)
        const { bytes, tag } = await files.read(question)
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
