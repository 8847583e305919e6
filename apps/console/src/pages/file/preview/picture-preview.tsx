import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { text } from '../../../text/text.ts'
import type { Contents } from './contents.ts'

/** A picture of pixels. What is none after all shows its name. */
export function PicturePreview({ contents, name }: { contents: Contents; name: string }) {
  const url = useSignal<string | null>(null)
  const failed = useSignal(false)
  useEffect(() => {
    let release = () => {}
    let isGone = false
    contents.pictureUrl().then(
      (picture) => {
        release = picture.release
        if (isGone) release()
        else url.value = picture.url
      },
      () => {
        failed.value = true
      },
    )
    return () => {
      isGone = true
      release()
    }
  }, [contents])
  if (failed.value) return <p class="hint">{text.value.file.notShown}</p>
  if (url.value === null) return null
  return (
    <img
      src={url.value}
      alt={name}
      referrerpolicy="no-referrer"
      decoding="async"
      onError={() => {
        failed.value = true
      }}
    />
  )
}
