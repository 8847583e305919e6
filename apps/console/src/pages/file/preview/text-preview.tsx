import { useQuery } from '@tanstack/preact-query'
import type { FileRecord } from '@tideport/sdk'
import { bytes } from '../../../text/format.ts'
import { text } from '../../../text/text.ts'
import type { Contents } from './contents.ts'

const SHOWN_BYTES = 128 * 1024

export function TextPreview({ contents, file }: { contents: Contents; file: FileRecord }) {
  const t = text.value.file
  const { data, isError } = useQuery({
    queryKey: ['file', file.id, 'text'],
    queryFn: ({ signal }) => contents.read(0, Math.min(SHOWN_BYTES, contents.sizeBytes), signal),
    staleTime: Number.POSITIVE_INFINITY,
    // Nothing of a locked vault stays in memory.
    gcTime: 0,
  })
  if (isError) return <p class="hint">{t.notShown}</p>
  if (data === undefined) return null
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to get there */}
      <section class="file-preview-text" tabIndex={0} aria-label={file.name}>
        <pre>{decode(data, file.mimeType)}</pre>
      </section>
      {contents.sizeBytes > SHOWN_BYTES && <p class="hint">{t.cut(bytes(SHOWN_BYTES))}</p>}
    </>
  )
}

function decode(data: Uint8Array<ArrayBuffer>, mimeType: string): string {
  const [, charset = 'utf-8'] = /;\s*charset="?([\w-]+)/i.exec(mimeType) ?? []
  try {
    return new TextDecoder(charset).decode(data)
  } catch {
    return new TextDecoder().decode(data)
  }
}
