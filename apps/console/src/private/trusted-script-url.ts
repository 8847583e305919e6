import { consoleUrl } from '../base.ts'

interface Policy {
  createScriptURL(url: string): string
}

const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }

/** Allows only the console's own assets. Throws a TypeError for others. */
const rules: Policy = {
  createScriptURL(url) {
    if (!new URL(url, consoleUrl).href.startsWith(new URL('assets/', consoleUrl).href)) {
      throw new TypeError('The script is not part of the console')
    }
    return url
  },
}

const policy = trustedTypes?.createPolicy('tideport-workers', rules) ?? rules

/** The page's policy refuses plain strings for workers. */
export const trustedScriptUrl = (url: string): string => policy.createScriptURL(new URL(url, consoleUrl).href)
