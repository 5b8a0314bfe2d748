export type FormEvent = SubmitEvent & { currentTarget: HTMLFormElement }

/** What a form's field holds, without blanks around it. */
export const textIn = (given: FormData, name: string): string =>
  String(given.get(name) ?? '').trim()
