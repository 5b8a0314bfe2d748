import { type Found, ranked } from './rank.ts'

/** The box of the header: it loads its index when it is first used. */
export function offerSearch(): void {
  document.addEventListener('DOMContentLoaded', () => {
    const box = document.querySelector<HTMLElement>('.search')
    const input = box?.querySelector('input')
    const list = box?.querySelector('ul')
    const status = box?.querySelector<HTMLElement>('[role="status"]')
    if (!box || !input || !list || !status) return
    box.hidden = false
    /** Said aloud in any case; what a reader sees is the list, unless there is none. */
    const say = (text: string, isSeen: boolean) => {
      status.textContent = text
      status.className = isSeen ? '' : 'unseen'
    }

    let places: Promise<Found[]> | null = null
    const placesOnce = async () => {
      places ??= load(box.dataset['index'] ?? '')
      try {
        return await places
      } catch (error) {
        places = null
        throw error
      }
    }
    const show = async () => {
      const asked = input.value.trim()
      const found = asked === '' ? [] : ranked(asked, await placesOnce())
      // Typing went on while the index was loaded.
      if (asked !== input.value.trim()) return
      list.replaceChildren(...found.map(resultOf))
      list.hidden = found.length === 0
      if (asked === '') say('', false)
      else if (found.length > 0) say(`${found.length} found`, false)
      else say('Nothing found: try fewer words.', true)
    }
    const close = () => {
      list.hidden = true
      say('', false)
    }
    const failed = () => say('The search could not be loaded. Try again.', true)
    input.addEventListener('input', () => void show().catch(failed))
    // The next input tries again.
    input.addEventListener('focus', () => void placesOnce().catch(() => {}))
    // Safari gives a link no focus by a click: the list would be gone before the click ends.
    list.addEventListener('mousedown', (event) => event.preventDefault())
    box.addEventListener('focusout', ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node) || !box.contains(relatedTarget)) close()
    })
    box.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowDown' && list.hidden) void show().catch(failed)
      const links = list.hidden ? [] : [...list.querySelectorAll('a')]
      const at = links.indexOf(document.activeElement as HTMLAnchorElement)
      if (event.key === 'Escape') {
        input.focus()
        close()
      } else if (event.key === 'ArrowDown') (links[at + 1] ?? links[0])?.focus()
      else if (event.key === 'ArrowUp') (at > 0 ? links[at - 1] : input)?.focus()
      else if (event.key === 'Enter' && at < 0) links[0]?.click()
      else return
      if (event.key !== 'Enter') event.preventDefault()
    })
    document.addEventListener('keydown', (event) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return
      event.preventDefault()
      input.focus()
    })
  })
}

async function load(address: string): Promise<Found[]> {
  const answer = await fetch(address)
  if (!answer.ok) throw new Error(`the index is not there: ${answer.status}`)
  const found = (await answer.json()) as Found[]
  return hasGuide() ? found : found.filter(({ url }) => !url.startsWith('/guide/'))
}

/** A process without the guide hides what leads to it (`/docs/served.css`). */
function hasGuide(): boolean {
  const link = document.querySelector('.top a[href="/guide/"]')
  return link !== null && getComputedStyle(link).display !== 'none'
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select')

function resultOf({ title, url, page, text }: Found): HTMLLIElement {
  const link = document.createElement('a')
  link.href = url
  const where = document.createElement('span')
  where.textContent = [page, text].filter((one) => one !== '').join(' · ')
  link.append(title, where)
  const item = document.createElement('li')
  item.append(link)
  return item
}
