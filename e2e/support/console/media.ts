/** Functions that run in the page and report on a media element. */
interface Shown {
  naturalWidth: number
  duration: number
  currentTime: number
  addEventListener(what: string, run: () => void): void
}

export const pictureWidth = (element: unknown): number => (element as Shown).naturalWidth
export const duration = (element: unknown): number => (element as Shown).duration
export const currentTime = (element: unknown): number => (element as Shown).currentTime

export const seekTo = (element: unknown, seconds: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const media = element as Shown
    media.addEventListener('seeked', () => resolve())
    media.addEventListener('error', () => reject(new Error('It broke')))
    media.currentTime = seconds
  })

export const setTime = (element: unknown, seconds: number): void => {
  const media = element as Shown
  media.currentTime = seconds
}
