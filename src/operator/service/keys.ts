import {
  KeyList,
  type KeyView,
  KeyView as KeyViewSchema,
  type KeyWithSecret,
  KeyWithSecret as KeyWithSecretSchema,
} from '../../schemas/customers/key-api.ts'
import { askService, type ServiceAddress } from './ask-service.ts'

const KEYS = '/api/market/admin/keys'
const pathOf = (name: string, act: string): string => `${KEYS}/${encodeURIComponent(name)}/${act}`

// Each throws as `askService`.

export const fetchKeys = async (service: ServiceAddress): Promise<KeyView[]> =>
  (await askService(service, { path: KEYS, answer: KeyList })).keys

export const askForKey = (
  service: ServiceAddress,
  key: { name: string; tier: string },
): Promise<KeyWithSecret> =>
  askService(service, { method: 'POST', path: KEYS, body: key, answer: KeyWithSecretSchema })

/** `previousForSeconds`: how long the secrets before are accepted; by default a day. */
export const askForRotation = (
  service: ServiceAddress,
  name: string,
  previousForSeconds?: number,
): Promise<KeyWithSecret> =>
  askService(service, {
    method: 'POST',
    path: pathOf(name, 'rotate'),
    body: previousForSeconds === undefined ? {} : { previousForSeconds },
    answer: KeyWithSecretSchema,
  })

export const askForRevocation = (service: ServiceAddress, name: string): Promise<KeyView> =>
  askService(service, {
    method: 'POST',
    path: pathOf(name, 'revoke'),
    body: {},
    answer: KeyViewSchema,
  })

/** A key, in a line. */
export function keyLine({ name, tier, limits, secrets, rotatedAt }: KeyView): string {
  const allowed = limits ? `${limits.requests} requests a minute` : 'limited as a stranger'
  const many = secrets === 1 ? '' : `, ${secrets} secrets`
  return `${name.padEnd(20)}  ${tier.padEnd(10)}  ${allowed}, made ${rotatedAt}${many}`
}
