import { downloadFile, type FileRecord } from '@tideport/sdk'
import { bytesUrl } from '../../api/bytes-url.ts'
import { client } from '../../api/client.ts'
import { readRange } from './preview/contents.ts'

const patienceMs = 20_000

/** Gives the file to the browser's own downloads, from wherever its bytes are, as they are stored. */
export async function saveFile(file: FileRecord): Promise<void> {
  const answer = await downloadFile(client(), { fileId: file.id, disposition: 'attachment' })
  const link = document.createElement('a')
  link.href = bytesUrl(answer)
  // What another origin answers instead of the file would be shown in place of the console, with uploads and open keys in it.
  if (answer.source === 'hot')
    await readRange(link.href, 0, Math.min(1, file.sizeBytes), AbortSignal.timeout(patienceMs))
  link.download = file.name
  link.rel = 'noreferrer'
  link.click()
}
