// What the debug information of Rust has that C's has not: generics, closures, iterators, traits, all inlined into one another.
use std::collections::{BTreeMap, HashMap};

trait Shape {
    fn area(&self) -> f64;
    fn scaled(&self, by: f64) -> f64 {
        self.area() * by
    }
}

struct Square(f64);
struct Circle(f64);

impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }
}

impl Shape for Circle {
    fn area(&self) -> f64 {
        self.0 * self.0 * 3.14159
    }
}

#[inline(always)]
fn mix(a: u64, b: u64) -> u64 {
    (a ^ b).wrapping_mul(0x9e3779b97f4a7c15).rotate_left(17)
}

fn fold<T: Copy, F: Fn(u64, T) -> u64>(all: &[T], f: F) -> u64 {
    all.iter().fold(7, |sum, &x| mix(sum, f(sum, x)))
}

mod words {
    pub fn count(text: &str) -> std::collections::HashMap<String, usize> {
        let mut found = std::collections::HashMap::new();
        for word in text.split_whitespace() {
            *found.entry(word.to_lowercase()).or_insert(0) += 1;
        }
        found
    }
}

#[inline(never)]
fn shapes(n: usize) -> f64 {
    let all: Vec<Box<dyn Shape>> = (0..n)
        .map(|i| if i % 3 == 0 { Box::new(Circle(i as f64)) as Box<dyn Shape> } else { Box::new(Square(i as f64)) })
        .collect();
    all.iter().filter(|s| s.area() > 2.0).map(|s| s.scaled(0.5)).sum()
}

#[inline(never)]
fn tables(n: u64) -> u64 {
    let mut tree = BTreeMap::new();
    let mut hash: HashMap<u64, Vec<u64>> = HashMap::new();
    for i in 0..n {
        tree.insert(mix(i, 3) % 1000, i);
        hash.entry(i % 17).or_default().push(i);
    }
    tree.values().sum::<u64>() + hash.values().map(|v| fold(v, |a, b| a + b)).sum::<u64>() % 1000
}

fn sorted(n: usize) -> Vec<(u32, String)> {
    let mut all: Vec<(u32, String)> = (0..n as u32).map(|i| (i.wrapping_mul(2654435761) >> 7, format!("{:x}", i))).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| b.1.cmp(&a.1)));
    all.dedup_by_key(|x| x.0 / 2);
    all
}

fn main() {
    let bytes: Vec<u8> = (0..200u8).collect();
    println!("{} {}", shapes(1000), tables(5000));
    println!("{} {}", fold(&bytes, |a, b| a + b as u64), sorted(3000).len());
    println!("{}", words::count("the quick brown fox jumps over the lazy dog and the cat").len());
}
