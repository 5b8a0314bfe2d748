import { expect, test } from 'vitest'
import { mayReach } from '../../../src/domain/webhooks/public-address.ts'
import { problemOfUrl } from '../../../src/domain/webhooks/webhook-url.ts'

test.each(['93.184.216.34', '8.8.8.8', '2606:4700::1111', '2a00:1450:4001::200e'])(
  '%s is public',
  (address) => expect(mayReach(address, false)).toBe(true),
)

// Each by its own RFC or cloud, and in the forms of IPv6 that lead to IPv4.
test.each([
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '100.100.100.200',
  '169.254.169.254',
  '168.63.129.16',
  '192.0.0.192',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:a9fe:a9fe',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::a00:1',
  '2002:7f00:1::',
  '2001::1',
  '2001:db8::1',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'fd00:ec2::254',
  'fec0::1',
  'ff02::1',
  '100::1',
  'not an address',
])('%s is not', (address) => expect(mayReach(address, false)).toBe(false))

test('with loopback allowed this machine is, and nothing else', () => {
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
    expect(mayReach(address, true)).toBe(true)
  for (const address of ['10.0.0.1', '169.254.169.254', '0.0.0.0', 'fd00::1'])
    expect(mayReach(address, true)).toBe(false)
})

test.each([
  ['https://hooks.example/a?b=c', null],
  ['https://hooks.example:8443/', null],
  ['https://[2606:4700::1111]/', null],
  ['http://hooks.example/', 'must be https'],
  ['http://127.0.0.1/', 'must be https'],
  ['ftp://hooks.example/', 'must be https'],
  ['hooks.example', 'must be a URL'],
  ['https://me:secret@hooks.example/', 'must not contain a user or password'],
  ['https://hooks.example/#part', 'must not have a fragment'],
  ['https://127.0.0.1/', 'must be at a public address'],
  ['https://2130706433/', 'must be at a public address'],
  ['https://0x7f.1/', 'must be at a public address'],
  ['https://[::ffff:10.0.0.1]/', 'must be at a public address'],
  ['https://169.254.169.254/latest', 'must be at a public address'],
  ['https://hooks.example:443/', null],
  ['https://hooks.example:8443/', null],
  ...[22, 25, 80, 1023].map((port) => [
    `https://hooks.example:${port}/`,
    'must be at port 443 or above 1023',
  ]),
  ...['localhost', 'x.localhost', 'a', 'metadata.google.internal', 'kubernetes.default.svc'].map(
    (name) => [`https://${name}/`, 'must be at a public name'],
  ),
  ...['kafka.market.svc.cluster.local', 'printer.local.', 'nas.home.arpa', 'x.onion'].map(
    (name) => [`https://${name}:8443/`, 'must be at a public name'],
  ),
] as [string, string | null][])('the URL %s: %s', (url, problem) =>
  expect(problemOfUrl(url, false)).toBe(problem),
)

test('with loopback allowed, http is too, on this machine only', () => {
  for (const url of [
    'http://127.0.0.1:1/',
    'http://localhost/',
    'http://[::1]/',
    'https://localhost',
  ])
    expect(problemOfUrl(url, true)).toBeNull()
  expect(problemOfUrl('http://hooks.example/', true)).toBe('must be https')
  expect(problemOfUrl('http://10.0.0.1/', true)).toBe('must be https')
  expect(problemOfUrl('https://10.0.0.1/', true)).toBe('must be at a public address')
})
