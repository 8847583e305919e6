/**
 * What the service says of a refusal, said otherwise where its sentence is for programs; `{}` stands for what differs. What
 * is not here is shown as the service says it, which is in English.
 */
export const enRefusals: Readonly<Record<string, string>> = {
  'The request body is not valid': 'Something that was entered is not right',
  'The request query is not valid': 'Something that was entered is not right',
  'Must be sent': 'Please fill this in',
  'Must not be empty': 'Please fill this in',
  'Must have at least 1 entry': 'At least one is needed',
  'Must be a whole number': 'Please enter a whole number',
  'The vault holds files; delete them first, or use force=true': 'The vault holds files; delete them first',
}
