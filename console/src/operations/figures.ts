const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** Bytes in the largest unit of which there is at least one. */
export function bytesText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10))
  const count = bytes / 1_024 ** power
  return `${count >= 100 || power === 0 ? Math.round(count) : count.toFixed(1)} ${UNITS[power]}`
}

/** How often a second; what is rarer than once in a hundred seconds is none. */
export function rateText(perSecond: number | null): string {
  if (perSecond === null) return 'known in a moment'
  if (perSecond < 0.01) return 'none in the last minute'
  return `${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(2)} a second`
}

const HOUR_S = 3_600

/** A duration in its two largest units, or in the largest if it is whole. */
export function durationText(seconds: number): string {
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor(seconds / HOUR_S) % 24]
  const minutes = Math.floor(seconds / 60) % 60
  if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`
  return minutes > 0 ? `${minutes} min` : `${Math.floor(seconds)} s`
}
