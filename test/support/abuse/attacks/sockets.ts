import type { Attack } from '../attacks.ts'
import { anyNetwork } from '../stranger.ts'

const IMPORT = 'POST /api/market/orders/import HTTP/1.1\r\nhost: market\r\n'
const headersOf = (n: number, more: string): string =>
  `${IMPORT}x-forwarded-for: ${anyNetwork(n)}\r\ncontent-type: application/json\r\n${more}\r\n`

/** Attacks on connections. */
export const SOCKET_ATTACKS: readonly Attack[] = [
  {
    name: 'bodies and headers of a byte a second',
    limit: { requests: 200, ms: 4_000, atOnce: 200 },
    putsOff: ['import'],
    run: (stranger) =>
      stranger.often((n) => {
        const drops = Array.from({ length: 30 }, () => ' ')
        const pieces =
          n % 2 ? [headersOf(n, 'content-length: 60000\r\n'), ...drops] : [IMPORT, ...drops]
        return stranger.drip(pieces, 1_000, stranger.limit.ms)
      }),
  },
  {
    name: 'headers beyond all bounds',
    limit: { requests: 300, ms: 3_000, atOnce: 16 },
    run: (stranger) => {
      // Made once: making a megabyte for each would take the core that the service is measured on.
      const many = Array.from({ length: 4_000 }, (_, at) => `x-${at}: 0\r\n`).join('')
      const one = `x: ${'y'.repeat(1_000_000)}\r\n`
      const target = `GET /${'z'.repeat(100_000)} HTTP/1.1\r\n\r\n`
      const pieces = [headersOf(1, many), headersOf(2, one), target].map((text) =>
        Buffer.from(text),
      )
      return stranger.often((n) => stranger.drip([pieces[n % pieces.length] ?? ''], 1, 2_000))
    },
  },
  {
    name: 'idle connections',
    limit: { requests: 2_000, ms: 3_000, atOnce: 2_000 },
    run: (stranger) => stranger.often(() => stranger.drip([], 1, stranger.limit.ms)),
  },
]
