import type { LiveState } from '../../api/live.ts'

const WORDS: Record<LiveState, string> = {
  connecting: 'Connecting…',
  live: 'Live',
  lost: 'Connection lost, reconnecting…',
}

/** Whether changes arrive as they happen. */
export const ConnectionStatus = ({ connection }: { connection: LiveState }) => (
  <p class="connection" data-connection={connection} role="status">
    {WORDS[connection]}
  </p>
)
