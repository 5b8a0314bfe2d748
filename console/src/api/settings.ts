import { useQuery } from '@tanstack/preact-query'
import { untilRead } from './until-read.ts'

/** What the operator set for these pages. */
export interface Settings {
  /** The service runs its own chain: there is a page with its controls. */
  isDevnet: boolean
  /** The service knows what a bitcoin costs in other money. */
  showsFiat: boolean
  /** Explorers, without a slash at the end; absent: pages link to none. */
  explorerUrl?: string
  assetExplorerUrl?: string
}

const NONE: Settings = { isDevnet: false, showsFiat: false }

/** Until they are read, nothing is offered. */
export function useSettings(): Settings {
  const { data } = useQuery({
    queryKey: ['settings'],
    queryFn: async ({ signal }) => {
      const answer = await fetch('/console/settings.json', { signal })
      if (!answer.ok) throw new Error(`the settings were refused with ${answer.status}`)
      return settingsIn(await answer.json())
    },
    ...untilRead,
  })
  return data ?? NONE
}

export const useIsDevnet = (): boolean => useSettings().isDevnet

export function settingsIn(said: unknown): Settings {
  if (typeof said !== 'object' || said === null) return NONE
  const is = (name: string) => Reflect.get(said, name) === true
  const explorerUrl = linkable(Reflect.get(said, 'explorerUrl'))
  const assetExplorerUrl = linkable(Reflect.get(said, 'assetExplorerUrl'))
  return {
    isDevnet: is('isDevnet'),
    showsFiat: is('showsFiat'),
    ...(explorerUrl !== null && { explorerUrl }),
    ...(assetExplorerUrl !== null && { assetExplorerUrl }),
  }
}

/** A page links to http(s) only, whatever the settings say. */
const linkable = (url: unknown): string | null =>
  typeof url === 'string' && /^https?:\/\//.test(url) ? url.replace(/\/+$/, '') : null
