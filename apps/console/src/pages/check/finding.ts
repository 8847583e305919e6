import { apiUrl } from '../../base.ts'
import { waysIn } from '../../session/start-session.ts'
import { text } from '../../text/text.ts'

/** The result of a check: `text` says what to change. */
export interface Finding {
  name: 'address' | 'clock' | 'storage' | 'networks' | 'webhook'
  look: 'good' | 'warning' | 'bad'
  text: string
}

/** Compares the address in the browser with the public address. */
export function checkAddress(): Finding {
  const t = text.value.check
  const { publicUrl } = waysIn
  if (publicUrl === null) return { name: 'address', look: 'warning', text: t.noAddress(apiUrl.href) }
  const isHere = new URL(`${publicUrl.replace(/\/*$/, '')}/`).href === apiUrl.href
  return isHere
    ? { name: 'address', look: 'good', text: t.address(publicUrl) }
    : { name: 'address', look: 'warning', text: t.otherAddress(publicUrl, apiUrl.href.replace(/\/$/, '')) }
}
