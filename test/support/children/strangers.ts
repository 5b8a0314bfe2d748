import { ATTACKS, type StrangersSkills, type StrangersWorld } from '../abuse/attacks.ts'
import { serveParty } from '../abuse/party.ts'
import { openRogueFeeds } from '../abuse/rogue-feeds.ts'
import { Stranger } from '../abuse/stranger.ts'

// Strangers, with an event loop of their own: started at a lower priority than the service.

const feeds = await openRogueFeeds()
let world: StrangersWorld

const skills: StrangersSkills = {
  feeds: async () => ({ relay: feeds.relay, offers: feeds.offers }),
  open: (given) => {
    world = given
  },
  attack: async (name, scale) => {
    const attack = ATTACKS.find((one) => one.name === name)
    if (!attack) throw new Error(`there is no attack "${name}"`)
    const { requests, ms, atOnce } = attack.limit
    const limit = { requests: requests * scale, ms: ms * scale, atOnce }
    const stranger = new Stranger(world.address, limit)
    const begun = performance.now()
    try {
      await attack.run(stranger, world, feeds)
    } finally {
      await stranger.close()
    }
    return { ...stranger.tally, ms: performance.now() - begun }
  },
}
serveParty(skills)
