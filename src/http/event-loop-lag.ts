import { monitorEventLoopDelay } from 'node:perf_hooks'

const RESOLUTION_MS = 10
const WINDOW_MS = 500

/** The mean delay of the event loop over the last half second: a lower bound for every request. */
export interface LagMeter {
  /** Zero until `begin`: work during the start delays no later request. */
  read(): number
  begin(): void
  close(): void
}

export function meterEventLoopLag(): LagMeter {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  let meanMs = 0
  let window: NodeJS.Timeout | undefined
  const take = () => {
    // Without samples the mean is NaN: nothing was delayed.
    meanMs = delays.count > 0 ? Math.max(0, delays.mean / 1e6 - RESOLUTION_MS) : 0
    delays.reset()
  }
  return {
    read: () => meanMs,
    begin() {
      delays.enable()
      window = setInterval(take, WINDOW_MS).unref()
    },
    close() {
      clearInterval(window)
      delays.disable()
    },
  }
}
