const NETWORKS = ['mainnet', 'regtest', 'signet'] as const

export type NetworkName = (typeof NETWORKS)[number]

export const isNetwork = (name: string): name is NetworkName =>
  NETWORKS.some((network) => network === name)
