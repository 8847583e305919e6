import { essenceOf } from '@tideport/contracts/public/mime-type'
import { type Html, html, sizeText } from './html.ts'
import { pageOf } from './layout.ts'
import { type Terms, termsHtml } from './terms.ts'

interface ShownUpload extends Terms {
  token: string
  takes: { filesLeft: number; maxFileBytes: number; mimeTypes: string[] | null; received: 'review' | 'publish' }
  received: { name: string; sizeBytes: number } | null
  /** Why what was just sent was not taken. */
  problem?: string
  up?: string
}

export function uploadPage(upload: ShownUpload): string {
  const { received, problem, takes } = upload
  const thanks =
    received &&
    html`<p role="status"><bdi>${received.name}</bdi> (${sizeText(received.sizeBytes)}) has arrived. Thank you.</p>`
  const isFull = takes.filesLeft <= 0 || takes.maxFileBytes <= 0
  return pageOf(
    received ? 'The file has arrived' : 'Send a file',
    html`<h1>${received ? 'The file has arrived' : 'Send a file'}</h1>
${thanks}
${problem === undefined ? null : html`<p class="alarm" role="alert">${problem}.</p>`}
${isFull ? html`<p class="soft">This link takes no more files.</p>` : formHtml(upload)}
${termsHtml(upload)}`,
  )
}

const readers = {
  review: 'Only the owner of this link sees what you send here, until the owner publishes it.',
  publish: 'What you send here is public at once: everyone can read it.',
}

function formHtml({ token, takes, up = '' }: ShownUpload): Html {
  const { filesLeft, maxFileBytes, mimeTypes, received } = takes
  // Browsers know no parameters there, and no type for everything.
  const essences = [...new Set(mimeTypes?.map(essenceOf) ?? ['*/*'])]
  const accept = essences.includes('*/*') ? null : essences.join(',')
  const types = mimeTypes === null ? '' : `, ${mimeTypes.join(', ')}`
  return html`<p class="soft">${filesLeft === 1 ? 'One file' : `Up to ${filesLeft} files, one at a time`}, ${sizeText(maxFileBytes)} at most${types}. ${readers[received]}</p>
<form method="post" enctype="multipart/form-data" action="${up}${token}/content">
<label for="file">File</label>
<input id="file" name="file" type="file" required${accept === null ? null : html` accept="${accept}"`}>
<button>Send</button>
</form>`
}
