import { monitorEventLoopDelay } from 'node:perf_hooks'

const RESOLUTION_MS = 10
const WINDOW_MS = 500

/** The mean delay of the event loop over the last half second: a lower bound for every request. */
export interface LagMeter {
  read(): number
  close(): void
}

export function meterEventLoopLag(): LagMeter {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  let meanMs = 0
  const window = setInterval(() => {
    // Without samples the mean is NaN: nothing was delayed.
    meanMs = delays.count > 0 ? Math.max(0, delays.mean / 1e6 - RESOLUTION_MS) : 0
    delays.reset()
  }, WINDOW_MS)
  window.unref()
  delays.enable()
  return {
    read: () => meanMs,
    close() {
      clearInterval(window)
      delays.disable()
    },
  }
}
