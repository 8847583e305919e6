/** Faults of commit subjects: each is `area: imperative summary` or `area, area: …`, at most 72 characters. */
export function subjectFaults(subjects: string[]): string[] {
  const form = /^[a-z0-9][a-z0-9-]*(?:, [a-z0-9][a-z0-9-]*)*: \S.*[^.]$/
  return subjects.flatMap((subject) => [
    ...(form.test(subject) ? [] : [`Commit "${subject}": the form is "area: imperative summary"`]),
    ...(subject.length <= 72 ? [] : [`Commit "${subject}": ${subject.length} characters, at most 72`]),
  ])
}
