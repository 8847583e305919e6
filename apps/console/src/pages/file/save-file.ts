import { downloadFile, type FileRecord } from '@tideport/sdk'
import { bytesUrl } from '../../api/bytes-url.ts'
import { client } from '../../api/client.ts'

/** Gives the file to the browser's own downloads, from wherever its bytes are, as they are stored. */
export async function saveFile(file: FileRecord): Promise<void> {
  const link = document.createElement('a')
  link.href = bytesUrl(await downloadFile(client(), { fileId: file.id, disposition: 'attachment' }))
  link.download = file.name
  link.rel = 'noreferrer'
  link.click()
}
