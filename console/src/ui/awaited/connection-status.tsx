import type { Connection } from '../../api/live.ts'

const WORDS: Record<Connection, string> = {
  connecting: 'Connecting…',
  live: 'Live',
  lost: 'Connection lost, reconnecting…',
}

/** Whether changes arrive as they happen. */
export const ConnectionStatus = ({ connection }: { connection: Connection }) => (
  <p class="connection" data-connection={connection} role="status">
    {WORDS[connection]}
  </p>
)
