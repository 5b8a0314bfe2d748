import { createServer } from 'node:http'
import { clickHouseListener } from '../clickhouse/listener.ts'
import { openOneSession } from '../clickhouse/one-session.ts'
import { ClickHouseUsers } from '../clickhouse/users.ts'

// ClickHouse's HTTP interface on its own engine: chDB, one session of this process.
// Arguments: the directory of its data, the port, its users as JSON.
const [directory = '', port, users = '{}'] = process.argv.slice(2)
const known = ClickHouseUsers.parse(JSON.parse(users))
const session = await openOneSession(directory, known)
const server = createServer(
  // The longest address that ClickHouse accepts (http_max_uri_size).
  { maxHeaderSize: 1_048_576 },
  clickHouseListener(session, known),
)
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'))
