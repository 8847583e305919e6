import { consoleUrl } from '../base.ts'

interface Policy {
  createScriptURL(url: string): string
}

interface PolicyFactory {
  createPolicy(name: string, rules: Policy): Policy
}

const { trustedTypes } = globalThis as { trustedTypes?: PolicyFactory }

/** The console's own assets, and nothing else. Throws a TypeError for anything else. */
const rules: Policy = {
  createScriptURL(url) {
    if (!new URL(url, consoleUrl).href.startsWith(new URL('assets/', consoleUrl).href)) {
      throw new TypeError('No program of the console')
    }
    return url
  },
}

const policy = trustedTypes?.createPolicy('tideport-workers', rules) ?? rules

/** For `new Worker` and service workers, which take no plain text under the page's policy. */
export const trustedScriptUrl = (url: string): string => policy.createScriptURL(new URL(url, consoleUrl).href)
