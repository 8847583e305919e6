import { createHmac, timingSafeEqual } from 'node:crypto'
import { linkCookie } from '@tideport/contracts/public/link-access'

const UNLOCKED_SECONDS = 4 * 3600
const RESUMED_SECONDS = 24 * 3600

export interface Pass {
  /** Unix time until which the password is not required again. */
  unlockedUntil: number
  /** The file whose download was counted, and the Unix time until which it may be resumed. Null: none. */
  resumes: { fileId: string; until: number } | null
}

const noPass: Pass = { unlockedUntil: 0, resumes: null }

export function unlocked(pass: Pass, nowSeconds: number): Pass {
  return { ...pass, unlockedUntil: nowSeconds + UNLOCKED_SECONDS }
}

export function counted(pass: Pass, fileId: string, nowSeconds: number): Pass {
  return { ...pass, resumes: { fileId, until: nowSeconds + RESUMED_SECONDS } }
}

/** Signs the pass with the first key, for this link only. Other signatures with these keys have another purpose. */
export function writePass(keys: readonly Buffer[], linkId: string, pass: Pass): string {
  const [key] = keys
  if (key === undefined) throw new Error('No signing key is configured')
  const { unlockedUntil, resumes } = pass
  const content = [unlockedUntil, resumes?.until ?? 0, resumes?.fileId ?? ''].join('.')
  return `${content}.${macOf(key, linkId, content)}`
}

/** Reads the value of the Cookie header. Ignores passes that none of the keys signed for this link. */
export function readPass(keys: readonly Buffer[], linkId: string, cookies: string | undefined): Pass {
  const [, content, until, resumeUntil, fileId, mac = ''] = cookiePattern.exec(cookies ?? '') ?? []
  if (content === undefined) return noPass
  const given = Buffer.from(mac)
  const isOurs = keys.some((key) => {
    const wanted = Buffer.from(macOf(key, linkId, content))
    return wanted.length === given.length && timingSafeEqual(wanted, given)
  })
  if (!isOurs) return noPass
  return { unlockedUntil: Number(until), resumes: fileId ? { fileId, until: Number(resumeUntil) } : null }
}

const cookiePattern = new RegExp(
  `(?:^|;\\s*)${linkCookie}=((\\d{1,12})\\.(\\d{1,12})\\.([0-9a-f-]{0,36}))\\.([A-Za-z0-9_-]{43})(?:;|$)`,
)

export function passCookie(value: string, { publicUrl, token }: { publicUrl: string; token: string }): string {
  const { protocol, pathname } = new URL(publicUrl)
  const path = `${pathname.replace(/\/+$/, '')}/s/${token}`
  const parts = [`${linkCookie}=${value}`, `Path=${path}`, `Max-Age=${RESUMED_SECONDS}`, 'HttpOnly', 'SameSite=Lax']
  return [...parts, ...(protocol === 'https:' ? ['Secure'] : [])].join('; ')
}

function macOf(key: Buffer, linkId: string, content: string): string {
  return createHmac('sha256', key).update(['link', linkId, content].join('\n')).digest('base64url')
}
