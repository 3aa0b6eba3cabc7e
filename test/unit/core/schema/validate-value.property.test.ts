import fc from 'fast-check';
import { ValueSchema } from '#contract/question';
import { applyAnswer } from '#core/questions/resolve';
import { parseTextAnswer, validateFieldValue } from '#core/questions/validate-answer';
import { findSchemaIssues } from '#core/schema/validate-schema';
import { exampleAnswer } from '#core/temporal-ui-details';
import { askingConversation, questionWithFields, START_TIME, testField } from '#test/support/core/conversation-fixture';

const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const count = fc.nat({ max: 12 });
const choices = fc.array(fc.constantFrom('a', 'b', 'c ', 'd', '😀', 'long one'), {
  minLength: 1,
  maxLength: 5,
});
const bound = fc.oneof(fc.integer({ min: -20, max: 20 }), fc.double({ min: -20, max: 20, noNaN: true }));
const pattern = fc.constantFrom('^a', '[0-9]', '^[a-z ]+$', '(', '(?=x)', 'a{900}', '');

const textSchema = fc.record(
  {
    type: fc.constant('string' as const),
    minLength: maybe(count),
    maxLength: maybe(count),
    pattern: maybe(pattern),
    format: maybe(fc.constantFrom('email' as const, 'uri' as const, 'date' as const, 'date-time' as const)),
    enum: maybe(choices),
  },
  { requiredKeys: ['type'] },
);
const lengths = fc.record({
  type: fc.constant('string' as const),
  minLength: maybe(count),
  maxLength: maybe(count),
});
const numeric = fc.record({
  type: fc.constantFrom('number' as const, 'integer' as const),
  minimum: maybe(bound),
  maximum: maybe(bound),
});
const listSchema = fc.record({
  type: fc.constant('array' as const),
  items: fc.record({ enum: choices }),
  minItems: maybe(count),
  maxItems: maybe(count),
});
const boolean = fc.constant({ type: 'boolean' as const });

/** Valid for the contract, and not impossible to answer. */
const usable = fc
  .oneof(textSchema, lengths, numeric, listSchema, boolean)
  .map((schema) => JSON.parse(JSON.stringify(schema)))
  .filter((schema) => ValueSchema.safeParse(schema).success)
  .map((schema) => schema as ValueSchema);
const sound = usable.filter((schema) => findSchemaIssues(schema).length === 0);

const anyValue = fc.oneof(
  fc.jsonValue() as fc.Arbitrary<unknown>,
  fc.string({ unit: 'binary' }),
  fc.constantFrom<unknown>(undefined, Number.NaN, Number.POSITIVE_INFINITY, -0, 'a', ['a'], ['a', 'b']),
  fc.array(fc.constantFrom('a', 'b', 'd')),
  bound,
);

const question = questionWithFields(testField());
const on = (schema: ValueSchema) => testField({ allowOther: false, schema });
const takes = (schema: ValueSchema, value: unknown) => validateFieldValue(on(schema), value) === undefined;

/** A plain reading of a schema without pattern and format. */
function oracle(schema: ValueSchema, value: unknown): boolean {
  switch (schema.type) {
    case 'boolean':
      return value === true || value === false;
    case 'number':
    case 'integer': {
      if (typeof value !== 'number' || !(Math.abs(value) < Number.POSITIVE_INFINITY)) return false;
      if (schema.type === 'integer' && (value % 1 !== 0 || Math.abs(value) > 2 ** 53 - 1)) return false;
      return !(value < (schema.minimum ?? value)) && !(value > (schema.maximum ?? value));
    }
    case 'string': {
      if (typeof value !== 'string') return false;
      if (schema.enum) return schema.enum.indexOf(value) >= 0;
      if (schema.minLength !== 0 && !/\S/.test(value)) return false;
      const length = Array.from(value).length;
      return !(length < (schema.minLength ?? 0)) && !(length > (schema.maxLength ?? length));
    }
    case 'array': {
      if (!Array.isArray(value)) return false;
      const seen: unknown[] = [];
      for (const one of value) {
        if (!schema.items.enum.some((choice) => choice === one) || seen.some((other) => other === one)) return false;
        seen.push(one);
      }
      return seen.length >= (schema.minItems ?? 1) && seen.length <= (schema.maxItems ?? seen.length);
    }
  }
}

/** Values generated to match the schema. */
function fitting(schema: ValueSchema): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'boolean':
      return fc.boolean();
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true });
    case 'integer': {
      const min = Math.ceil(schema.minimum ?? Math.min(schema.maximum ?? 0, 0) - 9);
      return fc.integer({ min, max: Math.floor(schema.maximum ?? min + 9) });
    }
    case 'string':
      if (schema.enum) return fc.constantFrom(...schema.enum);
      return fc.string({
        unit: 'grapheme-ascii',
        minLength: schema.minLength ?? 1,
        maxLength: schema.maxLength ?? 20,
      });
    case 'array':
      return fc.shuffledSubarray(schema.items.enum, {
        minLength: schema.minItems ?? 1,
        maxLength: schema.maxItems ?? schema.items.enum.length,
      });
  }
}

const isPlain = (schema: ValueSchema) =>
  schema.type !== 'string' || (schema.pattern === undefined && schema.format === undefined);

describe('any schema', () => {
  it('and any value give a result, and nothing throws', () => {
    fc.assert(
      fc.property(usable, anyValue, (schema, value) => {
        const fault = validateFieldValue(on(schema), value);
        if (fault) expect(fault.message).not.toBe('');
        expect(Array.isArray(findSchemaIssues(schema))).toBe(true);
        exampleAnswer(on(schema));
        parseTextAnswer({ ...question, fields: [on(schema)] }, String(JSON.stringify(value)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('accepts exactly what a plain reading of it accepts', () => {
    fc.assert(
      fc.property(usable.filter(isPlain), anyValue, (schema, value) => {
        expect(takes(schema, value)).toBe(oracle(schema, value));
      }),
      { numRuns: 3_000 },
    );
  });

  it('of a valid question accepts a value generated for it', () => {
    const pairs = sound
      .filter(isPlain)
      .chain((schema) => fc.tuple(fc.constant(schema), fitting(schema)))
      .filter(([schema, value]) => schema.type !== 'string' || schema.minLength === 0 || /\S/.test(String(value)));
    fc.assert(
      fc.property(pairs, ([schema, value]) => {
        expect(validateFieldValue(on(schema), value)).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });

  it('of a valid question has a valid example, if it has no pattern', () => {
    fc.assert(
      fc.property(
        sound.filter((schema) => schema.type !== 'string' || schema.pattern === undefined),
        (schema) => {
          // Examples do not consider a length beside a format.
          if (schema.type === 'string' && schema.format && !schema.enum) return;
          expect(validateFieldValue(on(schema), exampleAnswer(on(schema)))).toBeUndefined();
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('is asked with a default only if that is a valid answer', () => {
    const defaults = fc.oneof(fc.string(), bound, fc.boolean(), fc.array(fc.constantFrom('a', 'b', 'd')));
    fc.assert(
      fc.property(usable, defaults, (schema, value) => {
        const state = askingConversation([{ question: 'Q?', schema, default: value }], {
          onTimeout: 'default',
        });
        const isPut = state.question !== null;
        expect(isPut).toBe(findSchemaIssues(schema).length === 0 && takes(schema, value));
        if (isPut) expect(applyAnswer(state, { answer: value }, START_TIME)).toEqual({ ok: true });
      }),
      { numRuns: 300 },
    );
  });
});
