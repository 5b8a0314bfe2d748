import { InvalidArgumentError } from 'commander'
import type { ServiceAddress } from '../../operator/service/ask-service.ts'
import { localAddress } from '../../schemas/config/config.ts'
import { readConfig, readOperatorToken } from '../terminal/environment.ts'

/** Which service a command asks. */
export const SERVICE_OPTION = [
  '--service <url>',
  'address of the service (default: that of the configuration)',
  addressOf,
] as const

export const serviceAt = (given: string | undefined): ServiceAddress =>
  given === undefined
    ? { address: localAddress(readConfig()), isOwn: true }
    : { address: given, isOwn: false }

/** With the token of an operator. */
export const serviceAsOperator = (given: string | undefined): ServiceAddress => ({
  ...serviceAt(given),
  token: readOperatorToken(),
})

function addressOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new InvalidArgumentError('It must begin with http:// or https://.')
  if (url.username || url.password || url.search || url.hash)
    throw new InvalidArgumentError('It must have no user, no query and no fragment.')
  return text.replace(/\/+$/, '')
}
