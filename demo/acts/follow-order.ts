import { StreamChange, StreamSnapshot } from '../../src/schemas/api/stream.ts'
import type { OrderState } from '../../src/schemas/scalars.ts'
import { openStream, type StreamClient } from '../../test/support/http/stream-client.ts'
import { fields } from '../stage/readable.ts'
import type { Stage } from '../stage/stage.ts'
import type { World } from '../stage/world.ts'

/** A stream of one order's changes, shown as they arrive. */
export interface Following extends AsyncDisposable {
  /** The next change of its state: exactly this one. */
  tells(change: { from: OrderState; to: OrderState }): Promise<void>
}

/** A reader follows a LIVE order by server-sent events. */
export async function followOrder(stage: Stage, world: World, orderId: string): Promise<Following> {
  stage.step(
    'Dora follows the order. Her page asks once, and is told what is now and then what changes.',
  )
  const path = `activity/stream?orderId=${orderId}`
  stage.asks(path)
  const stream = await openStream(`${world.market.address}/api/market/${path}`)
  await stage.pushed('snapshot', snapshot(stream), {
    shape: StreamSnapshot,
    is: { total: 1, 'orders.0.id': orderId, 'orders.0.state': 'LIVE' },
    shows: fields('orders.0.id', 'orders.0.state', 'orders.0.quotedPriceSats'),
  })
  return {
    async tells({ from, to }) {
      stage.step("Dora's page is told at once, without asking again.")
      await stage.pushed('change', changeOfState(stream), {
        shape: StreamChange,
        is: { orderId, 'entry.fromState': from, 'entry.toState': to },
        shows: fields('seq', 'entry.fromState', 'entry.toState', 'entry.reason'),
      })
    },
    async [Symbol.asyncDispose]() {
      stream.kill()
    },
  }
}

const snapshot = async (stream: StreamClient): Promise<StreamSnapshot> =>
  (await stream.nextOf('snapshot')).data

/** A change that leaves the state as it is has no entry. */
async function changeOfState(stream: StreamClient): Promise<StreamChange> {
  for (;;) {
    const { data } = await stream.nextOf('change')
    if (data.entry !== null) return data
  }
}
