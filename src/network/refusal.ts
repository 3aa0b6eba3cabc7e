/** What may not be, or did not work, said in a sentence for the model to read. */
export class Refusal extends Error {}
