import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { useCommands } from '../../commands/commands.ts'
import { text } from '../../text/text.ts'
import type { Go, Place } from './place.ts'

/** Enter searches immediately. */
const pauseMs = 300

export function SearchField({ place: { search }, go }: { place: Place; go: Go }) {
  const t = text.value.files
  const input = useRef<HTMLInputElement>(null)
  const typed = useSignal(search)
  const asked = useRef(search)
  const timer = useRef(0)
  useCommands([{ label: t.search, key: '/', run: () => input.current?.focus() }])
  // Going back changes the search too.
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
    // Going back closes the search instead of removing its last letter.
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
