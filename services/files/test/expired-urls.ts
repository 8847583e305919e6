import type { Bundle } from './bundle.ts'

/** Makes the bundle sign upload URLs that expired a minute ago. */
export function issueExpiredUrls({ hotTier, config }: Bundle): Disposable {
  const { presignObject, presignPart } = hotTier
  const earlier = <Url extends { signedAt: Date }>(url: Url): Url => ({
    ...url,
    signedAt: new Date(url.signedAt.getTime() - (config.uploadUrlSeconds + 60) * 1000),
  })
  hotTier.presignObject = (url) => presignObject(earlier(url))
  hotTier.presignPart = (url) => presignPart(earlier(url))
  return { [Symbol.dispose]: () => void Object.assign(hotTier, { presignObject, presignPart }) }
}
