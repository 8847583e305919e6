import { useEffect, useState } from 'preact/hooks'
import { text } from '../../../text/text.ts'
import type { Contents } from './contents.ts'

export function PicturePreview({ contents, name }: { contents: Contents; name: string }) {
  const [url, setUrl] = useState<string | null>(null)
  const [failed, setFailed] = useState(false)
  useEffect(() => {
    let release = () => {}
    let isGone = false
    contents.pictureUrl().then(
      (picture) => {
        release = picture.release
        if (isGone) release()
        else setUrl(picture.url)
      },
      () => setFailed(true),
    )
    return () => {
      isGone = true
      release()
    }
  }, [contents])
  if (failed) return <p class="hint">{text.value.file.notShown}</p>
  if (url === null) return null
  return <img src={url} alt={name} referrerpolicy="no-referrer" decoding="async" onError={() => setFailed(true)} />
}
