import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { useCommands } from '../../commands/commands.ts'
import { text } from '../../text/text.ts'
import type { Go, Place } from './place.ts'

/** After so long without another key it is searched for what is typed; Enter does not wait. */
const pauseMs = 300

/** Finds files by a part of their names as it is typed; what was asked for before is not waited for. */
export function SearchField({ place: { search }, go }: { place: Place; go: Go }) {
  const t = text.value.files
  const input = useRef<HTMLInputElement>(null)
  const typed = useSignal(search)
  const asked = useRef(search)
  const timer = useRef(0)
  useCommands([{ label: t.search, key: '/', run: () => input.current?.focus() }])
  // Another place, such as the one before: what is typed is not this any more.
  useEffect(() => {
    if (search === asked.current) return
    asked.current = search
    typed.value = search
  }, [search])
  useEffect(() => () => clearTimeout(timer.current), [])
  const find = () => {
    clearTimeout(timer.current)
    const wanted = typed.value.trim()
    if (wanted === asked.current) return
    // One goes back to the list before the search, not to each of its letters.
    const replace = asked.current !== '' && wanted !== ''
    asked.current = wanted
    go({ search: wanted }, { replace })
  }
  return (
    <input
      ref={input}
      type="search"
      class="file-search"
      aria-label={t.search}
      placeholder={`${t.search}  /`}
      value={typed.value}
      maxLength={200}
      onInput={(event) => {
        typed.value = event.currentTarget.value
        clearTimeout(timer.current)
        timer.current = setTimeout(find, pauseMs)
      }}
      onChange={find}
    />
  )
}
