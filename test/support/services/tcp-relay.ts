import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** One address that leads to one of several servers, as a proxy or a virtual IP does. */
export interface TcpRelay {
  readonly port: number
  /** New connections lead there; those that are open stay where they are. */
  leadTo(port: number): void
  /** Open connections pass nothing any longer, and stay open. */
  silence(): void
  /** The next connections to say this end there, before it arrives: so many. */
  cutAt(said: string, times: number): void
  close(): Promise<void>
}

/** Listens on a free port of this machine. */
export async function openTcpRelay(firstPort: number): Promise<TcpRelay> {
  let target = firstPort
  let cut = { said: '', times: 0 }
  const pairs = new Set<readonly [Socket, Socket]>()
  const server = createServer((client) => {
    const pair = [client, connect(target, '127.0.0.1')] as const
    const [, upstream] = pair
    pairs.add(pair)
    client.on('data', (bytes) => {
      if (cut.times === 0 || !bytes.toString('latin1').includes(cut.said)) return
      cut.times -= 1
      client.unpipe().destroy()
    })
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('error', () => {})
      from.on('close', () => {
        to.destroy()
        pairs.delete(pair)
      })
      from.pipe(to)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    leadTo: (port) => {
      target = port
    },
    silence: () => {
      for (const socket of [...pairs].flat()) socket.unpipe().pause()
    },
    cutAt: (said, times) => {
      cut = { said, times }
    },
    close: async () => {
      for (const socket of [...pairs].flat()) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
