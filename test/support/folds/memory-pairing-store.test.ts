import { pairingStoreContract } from '../../contracts/pairing-store.ts'
import { memoryPairingStore } from './memory-pairing-store.ts'

pairingStoreContract('memory', async () => ({
  store: memoryPairingStore(),
  close: async () => {},
}))
