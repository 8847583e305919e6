import { bytes } from '../text/format.ts'
import { text } from '../text/text.ts'
import { Button } from '../ui/button.tsx'
import { isPaused, pauseUploads, resumeUploads } from './send-uploads.ts'
import { isUploading, type Upload, uploads } from './upload-list.ts'
import { clearUploads, retryUploads } from './uploads.ts'
import { isCutOff, tryNow } from './wait-for-service.ts'

const shownMax = 6

export function UploadsTray() {
  const { app, uploads: t } = text.value
  const list = uploads.value
  if (list.length === 0) return null
  const total = list.reduce((sum, { file }) => sum + file.size, 0)
  const sent = list.reduce((sum, { sentBytes }) => sum + sentBytes, 0)
  const done = list.filter(({ state }) => state === 'done').length
  const failed = list.filter(({ state }) => state === 'failed')
  const sending = list.filter(({ state }) => state === 'sending' || state === 'unanswered')
  const shown = [...failed, ...sending].slice(0, shownMax)
  return (
    <section class="tray" aria-label={t.title}>
      <div class="tray-head">
        <strong role="status">
          {isCutOff.value
            ? t.cutOff(done, list.length)
            : isUploading.value
              ? t.underWay(done, list.length)
              : t.over(done, failed.length)}
        </strong>
        <span class="hint">
          {bytes(sent)} / {bytes(total)}
        </span>
      </div>
      <progress aria-label={t.title} max={Math.max(1, total)} value={sent} />
      <ul>
        {shown.map((upload) => (
          <UploadItem key={upload.key} upload={upload} />
        ))}
      </ul>
      <div class="tray-end">
        {isUploading.value && !isPaused.value && <Button onClick={pauseUploads} text={t.pause} />}
        {isPaused.value && <Button onClick={resumeUploads} text={t.resume} />}
        {isCutOff.value && <Button onClick={tryNow} text={t.tryNow} />}
        {failed.length > 0 && <Button onClick={retryUploads} text={t.retry} />}
        <Button onClick={() => void clearUploads()} text={isUploading.value ? app.cancel : app.dismiss} />
      </div>
    </section>
  )
}

function UploadItem({ upload }: { upload: Upload }) {
  const { path, file, state, sentBytes, bytesPerSecond, error } = upload
  return (
    <li class="tray-item">
      <span class="tray-name" title={path}>
        {path}
      </span>
      {error === null ? (
        <span class="hint">
          {Math.floor((100 * sentBytes) / Math.max(1, file.size))} %
          {bytesPerSecond !== null && ` · ${bytes(bytesPerSecond)}/s`}
        </span>
      ) : (
        <span class={state === 'failed' ? 'form-error' : 'hint'}>{error}</span>
      )}
    </li>
  )
}
