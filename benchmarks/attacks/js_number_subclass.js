// Boxed numbers and classes derived from the language's own.
class N extends Number { valueOf() { return 900000000001; } }
class S extends String { toString() { return '900000000001'; } }
class A extends Array { get length() { return 1; } every() { return true; } }
class M extends Map { get() { return 1; } has() { return true; } }
class D extends Date { getTime() { return 1; } }
function answer(a, b) {
  return [new N(1), new S('1'), new A(), new M(), new D(), Object(1n)][a % 6];
}
