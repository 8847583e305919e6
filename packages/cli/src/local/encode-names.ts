/**
 * Names that the service or a disk cannot keep, written so that both can, and read back (docs/command-line.md#names). As in
 * rclone a character has a full-width form that stands for it. A quote in front of one that a name has already makes it mean
 * itself, so that no two names are written alike.
 */
const QUOTE = '\u201b'
/** At the end of a part of a path that goes on in the next one. */
const GOES_ON = '\uff0b'
/** So many bytes have a part of a path, in the service and on most disks. */
const PART_BYTES_MAX = 255
const PIECE_BYTES = PART_BYTES_MAX - 6

interface Rules {
  /** Characters that no name has, and what stands for them. */
  forbidden: RegExp
  forms: RegExp
  /** The system drops dots and spaces at an end, and takes names of devices for them. */
  isWindows: boolean
}

export interface NameCodec {
  /** The name in the service of a path of this disk. */
  toService(path: string): string
  /** The path on this disk of a name in the service. */
  toLocal(path: string): string
}

const ofService: Rules = {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are it
  forbidden: /\u201b*[\0-\x1f\x7f-\x9f\\]/g,
  forms: /\u201b*[\u2400-\u241f\u2421\ue080-\ue09f\uff3c]/g,
  isWindows: false,
}
const ofUnix: Rules = { forbidden: /(?!)/g, forms: /(?!)/g, isWindows: false }
const ofWindows: Rules = {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are it
  forbidden: /\u201b*[\0-\x1f<>:"|?*\\]/g,
  forms: /\u201b*[\u2400-\u241f\uff02\uff0a\uff1a\uff1c\uff1e\uff1f\uff3c\uff5c]/g,
  isWindows: true,
}
/** Shorter ones are no pieces. */
const goesOnAtEnd = /(?<=^.{25,})\u201b*\uff0b$/su
const dropped = /[. ]\u201b*$/
const device = /^\u201b*(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d\xb9\xb2\xb3]) *(?:\.|$)/i

export const encodeNamesOption = {
  type: 'boolean',
  summary: 'Encode names that the service or this disk cannot keep, and decode them in the other direction',
} as const

const plainNames: NameCodec = { toService: (path) => path, toLocal: (path) => path }

export const namesBy = (isEncoding: boolean): NameCodec => (isEncoding ? nameCodec() : plainNames)

export function nameCodec(platform: NodeJS.Platform = process.platform): NameCodec {
  const ofDisk = platform === 'win32' ? ofWindows : ofUnix
  return {
    toService: (path) => encodePath(decodePath(path, ofDisk), ofService),
    toLocal: (path) => encodePath(decodePath(path, ofService), ofDisk),
  }
}

const encodePath = (parts: string[], rules: Rules): string => parts.flatMap((part) => encode(part, rules)).join('/')

/** The parts of a path, each in one piece. */
function decodePath(path: string, rules: Rules): string[] {
  const parts: string[] = []
  let held: string[] = []
  for (const piece of path.split('/')) {
    held.push(piece)
    if (goesOnAtEnd.test(piece) && !piece.endsWith(QUOTE + GOES_ON)) continue
    parts.push(...decode(held, rules))
    held = []
  }
  return [...parts, ...held]
}

/** What the rules would have written otherwise was not written by them, and means itself. */
function decode(pieces: string[], rules: Rules): string[] {
  const part = decodePart(pieces.map((piece, index) => (index < pieces.length - 1 ? piece.slice(0, -1) : piece)).join(''), rules) // biome-ignore format: one chain
  return !/^\.{0,2}$/.test(part) && encode(part, rules).join('/') === pieces.join('/') ? [part] : pieces
}

function encode(part: string, { forbidden, forms, isWindows }: Rules): string[] {
  // A form that a name has itself gets an odd number of quotes, one for a character an even number.
  const written = part
    .replace(forms, (found) => QUOTE.repeat(found.length) + found)
    .replace(forbidden, (found) => QUOTE.repeat(2 * (found.length - 1)) + formOf(found.at(-1) as string))
    .replace(goesOnAtEnd, `${QUOTE}$&`)
  if (!isWindows) return split(written)
  return split(written.replace(dropped, `$&${QUOTE}`).replace(device, `${QUOTE}$&`))
}

function decodePart(written: string, { forms, isWindows }: Rules): string {
  const unquoted = (found: string) => found.slice(1)
  const kept = isWindows ? written.replace(device, unquoted).replace(dropped, (found) => found.slice(0, -1)) : written
  return kept.replace(goesOnAtEnd, unquoted).replace(forms, (found) => {
    const [quotes, form] = [found.length - 1, found.at(-1) as string]
    return QUOTE.repeat(Math.floor(quotes / 2)) + (quotes % 2 === 1 ? form : letterOf(form))
  })
}

/** A picture of a control character, or the full-width form. Other controls have neither, and get one for private use. */
function formOf(letter: string): string {
  const code = letter.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  if (code === 0x7f) return '\u2421'
  return String.fromCharCode(code < 0x7f ? 0xfee0 + code : 0xe000 + code)
}

function letterOf(form: string): string {
  const code = form.charCodeAt(0)
  if (code === 0x2421) return '\x7f'
  if (code < 0x2421) return String.fromCharCode(code - 0x2400)
  return String.fromCharCode(code >= 0xff01 ? code - 0xfee0 : code - 0xe000)
}

/** A part of a path that is too long, in pieces of about one length, each but the last with a mark at its end. */
function split(part: string): string[] {
  const size = Buffer.byteLength(part)
  if (size <= PART_BYTES_MAX) return [part]
  const most = Math.ceil(size / Math.ceil(size / PIECE_BYTES))
  const pieces = ['']
  let filled = 0
  for (const letter of part) {
    if (filled >= most && !pieces.at(-1)?.endsWith(QUOTE)) {
      pieces.push('')
      filled = 0
    }
    pieces[pieces.length - 1] += letter
    filled += Buffer.byteLength(letter)
  }
  return pieces.map((piece, index) => (index < pieces.length - 1 ? piece + GOES_ON : piece))
}

/** Why the service cannot keep a path; null: it can. */
export function unstorable(path: string): string | null {
  const parts = path.split('/')
  const what = parts.some((part) => part.search(ofService.forbidden) >= 0)
    ? 'has a control character or a backslash'
    : parts.some((part) => Buffer.byteLength(part) > PART_BYTES_MAX)
      ? `has a part of more than ${PART_BYTES_MAX} bytes`
      : null
  return what && `The service stores no path that ${what}. Rename the file, or use --encode-names`
}
