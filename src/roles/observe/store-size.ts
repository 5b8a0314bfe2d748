import { statfsSync, statSync } from 'node:fs'
import type { Metrics } from './metrics.ts'

/** Reports how full the store of DATA_DIR and its disk are. */
export function meterStoreSize(
  { watch }: Pick<Metrics, 'watch'>,
  { directory, file, limitBytes }: { directory: string; file: string; limitBytes: number },
): void {
  const disk = () => statfsSync(directory)
  watch('market_disk_free_bytes', 'Free bytes on the disk of DATA_DIR.', () => {
    const { bavail, bsize } = disk()
    return bavail * bsize
  })
  watch('market_disk_size_bytes', 'Size of the disk of DATA_DIR.', () => {
    const { blocks, bsize } = disk()
    return blocks * bsize
  })
  watch('market_store_bytes', 'Size of the store in DATA_DIR.', () => statSync(file).size)
  watch('market_store_limit_bytes', 'The size that the store cannot exceed.', () => limitBytes)
}
