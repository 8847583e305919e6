import { useRef } from 'preact/hooks'
import { text } from '../../text/text.ts'
import { isolated } from '../../text/visible.ts'
import { Button } from '../../ui/button.tsx'
import type { Go, Place } from './place.ts'

/** As many as are of use; the API takes more. */
const labelsMax = 10

/** Shows the files that have all of some tags and pairs of metadata. */
export function LabelFilter({ place: { labels }, go }: { place: Place; go: Go }) {
  const t = text.value.files
  const input = useRef<HTMLInputElement>(null)
  const add = (label: string) => {
    const [key = '', ...value] = label.split('=')
    const tidy = value.length === 0 ? key.trim() : `${key.trim()}=${value.join('=').trim()}`
    if (tidy !== '' && !tidy.startsWith('=') && !labels.includes(tidy)) go({ labels: [...labels, tidy] })
  }
  return (
    <form
      class="file-labels"
      onSubmit={(event) => {
        event.preventDefault()
        if (input.current === null) return
        add(input.current.value)
        input.current.value = ''
      }}
    >
      <input
        ref={input}
        aria-label={t.filter}
        placeholder={t.filterHint}
        maxLength={400}
        autocomplete="off"
        enterkeyhint="search"
        disabled={labels.length >= labelsMax}
      />
      {labels.map((label) => (
        <Button
          key={label}
          label={t.endFilter(isolated(label))}
          onClick={() => go({ labels: labels.filter((one) => one !== label) })}
        >
          <bdi>{label}</bdi> ×
        </Button>
      ))}
    </form>
  )
}
